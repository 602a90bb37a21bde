import { laneOf, userOf, type Claim, type InboundMessage, type Lanes, type Notice } from "../../index.ts";
import { keptIn } from "./kept-messages.ts";
import type { Hold, Row } from "./rows.ts";
import { append, type SessionMap } from "./sessions.ts";

function same(a: InboundMessage, b: InboundMessage): boolean {
  return a.channel === b.channel && a.id === b.id;
}

export function lanes(sessions: SessionMap, rows: Row[], held: Map<string, Hold>): Lanes {
  const free = (lane: string, now: number): boolean => (held.get(lane)?.until ?? 0) <= now;
  const knows = (message: InboundMessage): boolean => rows.some((row) => same(row.message, message));
  const add = (message: InboundMessage, lane: string, accepted: number, reply?: string): void => {
    rows.push({
      number: rows.length + 1,
      message: structuredClone(message),
      lane,
      isNotice: reply !== undefined,
      state: "waiting",
      accepted,
      attempt: 0,
      begun: 0,
      failures: 0,
      due: 0,
      ...(reply !== undefined && { reply }),
    });
  };
  const post = ({ message, reply, at }: Notice): boolean => {
    if (knows(message)) return false;
    add(message, `>${laneOf(message)}`, at, reply);
    return true;
  };
  /** The row, if the claim still holds its lane. */
  const mine = (claim: Claim): Row | undefined => {
    const row = [...held.values()].find((hold) => hold.row && same(hold.row.message, claim.message))?.row;
    const isHeld = row !== undefined && held.get(row.lane)?.holder === claim.owner;
    return isHeld && row.attempt === claim.deliveryCount ? row : undefined;
  };
  const end = (claim: Claim, change: (row: Row) => void): void => {
    const row = mine(claim);
    if (!row) return;
    change(row);
    held.delete(row.lane);
  };
  const openRows = (): Row[] => rows.filter(({ state }) => state === "waiting");
  const heads = (): Row[] =>
    openRows().filter((row, i, all) => all.findIndex(({ lane }) => lane === row.lane) === i);
  const waiting = (): Row[] => heads().filter(({ waitsFor }) => waitsFor !== undefined);

  return {
    accept: async (messages, { at = Date.now(), maxPerSender = Infinity } = {}) =>
      messages.map((message) => {
        if (knows(message)) return "duplicate";
        const open = openRows().filter((row) => !row.isNotice && userOf(row.message) === userOf(message));
        if (open.length >= maxPerSender) return "over";
        add(message, laneOf(message), at);
        return "accepted";
      }),
    post: async (notice) => post(notice),
    claim: async (holder, leaseMs, now, { begunBelow = Infinity } = {}) => {
      const row = heads().find(({ due, lane, begun }) => due <= now && free(lane, now) && begun < begunBelow);
      if (!row) return undefined;
      row.attempt += 1;
      row.begun += 1;
      held.set(row.lane, { holder, until: now + leaseMs, row });
      return claimOf(row, holder);
    },
    renew: async (claim, leaseMs, now) => {
      const row = mine(claim);
      if (row) held.set(row.lane, { holder: claim.owner, until: now + leaseMs, row });
      return row !== undefined;
    },
    answer: async (claim, reply, session, turn) => {
      const row = mine(claim);
      if (!row) return false;
      if (row.reply !== undefined) return row.reply === reply;
      Object.assign(row, { reply, begun: 0, failures: 0 });
      append(sessions, session, turn, laneOf(claim.message));
      return true;
    },
    ack: async (claim) => end(claim, (row) => (row.state = "done")),
    retry: async (claim, { at, reason, waitsFor, triedAt, counts = false }) =>
      end(claim, (row) => {
        Object.assign(row, { due: at, reason, waitsFor, begun: 0 });
        row.failures += Number(counts);
        if (triedAt !== undefined) row.tried = triedAt;
      }),
    deadLetter: async (claim, reason, notice) =>
      end(claim, (row) => {
        Object.assign(row, { state: "dead", reason, ended: Date.now(), waitsFor: undefined });
        if (notice) post(notice);
      }),
    recover: async () => held.clear(),
    nextDue: async ({ begunBelow = Infinity } = {}) => {
      const meant = heads().filter(({ begun }) => begun < begunBelow);
      const due = meant.map((row) => Math.max(row.due, held.get(row.lane)?.until ?? 0));
      return due.length > 0 ? Math.min(...due) : undefined;
    },
    wake: async (waitsFor, limit = Infinity) => {
      const woken = waiting()
        .filter((row) => row.waitsFor === waitsFor && row.due > 0 && !held.get(row.lane)?.row)
        .toSorted((a, b) => (a.tried ?? 0) - (b.tried ?? 0) || a.number - b.number)
        .slice(0, limit);
      for (const row of woken) row.due = 0;
      return woken.length;
    },
    waits: async () =>
      [...Map.groupBy(waiting(), ({ waitsFor }) => waitsFor as string)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([waitsFor, all]) => ({
          waitsFor,
          lanes: all.length,
          reason: all.toSorted((a, b) => (b.tried ?? 0) - (a.tried ?? 0))[0]?.reason ?? "",
        })),
    shift: async (ms) => {
      for (const row of openRows()) {
        row.accepted += ms;
        if (row.due > 0) row.due = Math.max(1, row.due + ms);
        if (row.tried !== undefined) row.tried += ms;
      }
      for (const hold of held.values()) hold.until += ms;
    },
    stats: async () => {
      const running = [...held.values()].filter(({ row }) => row).length;
      return {
        waiting: openRows().length - running,
        running,
        deadLetters: rows.filter(({ state }) => state === "dead").length,
      };
    },
    ...keptIn(rows, held),
    hold: async (lane, holder, leaseMs, now) => {
      const hold = held.get(lane);
      if (!free(lane, now) && (hold?.holder !== holder || hold.row)) return false;
      held.set(lane, { holder, until: now + leaseMs });
      return true;
    },
    release: async (lane, holder) => {
      const hold = held.get(lane);
      if (hold?.holder === holder && !hold.row) held.delete(lane);
    },
  };
}

function claimOf(row: Row, owner: string): Claim {
  const { message, attempt, begun, failures, accepted, tried, reply, isNotice } = row;
  return {
    message,
    owner,
    deliveryCount: attempt,
    begun,
    failures,
    acceptedAt: accepted,
    isNotice,
    ...(tried !== undefined && { triedAt: tried }),
    ...(reply !== undefined && { reply }),
  };
}
