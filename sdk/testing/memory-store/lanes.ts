import { randomUUID } from "node:crypto";
import { errors, type InboundMessage } from "../../index.ts";
import { laneOf, userOf, type Claim, type Lanes, type Notice } from "../../fill.ts";
import { keptIn } from "./kept-messages.ts";
import type { Row } from "./rows.ts";
import { append } from "./sessions.ts";
import type { StoreHandle, StoreState } from "./state.ts";

function same(a: InboundMessage, b: InboundMessage): boolean {
  return a.channel === b.channel && a.id === b.id;
}

export function lanes(state: StoreState, handle: Required<StoreHandle>): Lanes {
  const { sessions, rows, held } = state;
  const { now, node, listeners } = handle;
  const due = (): void => listeners.forEach((wake) => wake());
  const free = (lane: string): boolean => (held.get(lane)?.until ?? 0) <= now();
  const knows = (message: InboundMessage): boolean => rows.some((row) => same(row.message, message));
  const add = (message: InboundMessage, lane: string, reply?: string): void => {
    rows.push({
      number: rows.length + 1,
      message: structuredClone(message),
      lane,
      isNotice: reply !== undefined,
      state: "waiting",
      accepted: now(),
      attempt: 0,
      begun: 0,
      failures: 0,
      due: 0,
      ...(reply !== undefined && { reply }),
    });
  };
  const post = ({ message, reply }: Notice): boolean => {
    if (knows(message)) return false;
    add(message, `>${laneOf(message)}`, reply);
    due();
    return true;
  };
  const rowOf = ({ number, token }: Claim): Row | undefined =>
    rows.find((row) => row.number === number && row.token === token);
  /**
   * Returns the row while the claim holds it; undefined if it has ended already. Throws LEASE_LOST.
   */
  const mine = (claim: Claim): Row | undefined => {
    const hold = held.get(claim.lane);
    if (hold?.token === claim.token && hold.row?.state === "waiting") return hold.row;
    if (hold?.token === claim.token) held.delete(claim.lane);
    const row = rowOf(claim);
    if (!row || (row.state === "waiting" && held.has(claim.lane))) throw errors.LEASE_LOST(claim.lane);
    return undefined;
  };
  const end = (claim: Claim, change: (row: Row) => void): void => {
    const row = mine(claim);
    if (!row) return;
    change(row);
    held.delete(row.lane);
  };
  const openRows = (): Row[] => rows.filter(({ state }) => state === "waiting");
  const heads = (): Row[] =>
    [...Map.groupBy(openRows(), ({ lane }) => lane).values()].map((all) => headOf(all, now()));
  const waiting = (): Row[] => heads().filter(({ waitsFor }) => waitsFor !== undefined);

  return {
    accept: async (messages, { maxPerSender = Infinity } = {}) => {
      const all = messages.map((message) => {
        if (knows(message)) return "duplicate" as const;
        const open = openRows().filter((row) => !row.isNotice && userOf(row.message) === userOf(message));
        if (open.length >= maxPerSender) return "over" as const;
        add(message, laneOf(message));
        return "accepted" as const;
      });
      if (all.includes("accepted")) due();
      return all;
    },
    post: async (notice) => post(notice),
    claim: async (max, leaseMs, { begunBelow = Infinity } = {}) => {
      const taken = heads().filter((row) => row.due <= now() && free(row.lane) && row.begun < begunBelow);
      return taken.slice(0, max).map((row) => {
        row.attempt += 1;
        row.begun += 1;
        row.token = randomUUID();
        held.set(row.lane, { token: row.token, node, until: now() + leaseMs, row });
        return claimOf(row, row.token, now());
      });
    },
    renew: async ({ lane, token }, leaseMs) => {
      const hold = held.get(lane);
      if (hold?.token !== token) return false;
      hold.until = now() + leaseMs;
      return true;
    },
    answer: async (claim, reply, session, turn, files = []) => {
      if (rowOf(claim)?.reply === reply) return;
      const row = mine(claim);
      if (row?.reply !== undefined || !row) throw errors.LEASE_LOST(claim.lane);
      Object.assign(row, { reply, begun: 1, failures: 0, ...(files.length > 0 && { files }) });
      append(sessions, session, turn, laneOf(claim.message));
    },
    ack: async (claim) => end(claim, (row) => (row.state = "done")),
    retry: async (claim, { afterMs, reason, waitsFor, tried = false, counts = false, yields = false }) =>
      end(claim, (row) => {
        Object.assign(row, { due: now() + afterMs, reason, waitsFor, yields, begun: 0 });
        row.failures += Number(counts);
        if (tried) row.tried = now();
      }),
    deadLetter: async (claim, reason, notice) =>
      end(claim, (row) => {
        Object.assign(row, { state: "dead", reason, ended: now(), waitsFor: undefined });
        if (notice) post(notice);
      }),
    // Only this process holds anything, and it lives; what ends is freed by endNode.
    recover: async () => {},
    dueIn: async ({ begunBelow = Infinity } = {}) => {
      const meant = heads().filter(({ begun }) => begun < begunBelow);
      const times = meant.map((row) => Math.max(row.due, held.get(row.lane)?.until ?? 0));
      return times.length > 0 ? Math.min(...times) - now() : undefined;
    },
    onDue: (wake) => {
      listeners.add(wake);
      return () => void listeners.delete(wake);
    },
    wake: async (waitsFor, limit = Infinity) => {
      const woken = waiting()
        .filter((row) => row.waitsFor === waitsFor && row.due > 0 && !held.get(row.lane)?.row)
        .toSorted((a, b) => (a.tried ?? 0) - (b.tried ?? 0) || a.number - b.number)
        .slice(0, limit);
      for (const row of woken) row.due = 0;
      if (woken.length > 0) due();
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
    stats: async () => {
      const running = [...held.values()].filter(({ row }) => row).length;
      return {
        waiting: openRows().length - running,
        running,
        deadLetters: rows.filter(({ state }) => state === "dead").length,
      };
    },
    ...keptIn(rows, held, now, due, post),
    hold: async (lane, leaseMs) => {
      if (!free(lane)) return undefined;
      const token = randomUUID();
      held.set(lane, { token, node, until: now() + leaseMs });
      return { lane, token };
    },
    release: async ({ lane, token }) => {
      const hold = held.get(lane);
      if (hold?.token !== token || hold.row) return;
      held.delete(lane);
      due();
    },
  };
}

/**
 * The first row that waits for more than its own sender's pace; else the one whose pace is due
 * first.
 */
function headOf(lane: readonly Row[], now: number): Row {
  const bySender = Map.groupBy(lane, ({ message }) => userOf(message));
  const firsts = [...bySender.values()].map(([first]) => first as Row);
  const free = firsts.find(({ yields = false, due }) => !yields || due <= now);
  return free ?? (firsts.toSorted((a, b) => a.due - b.due)[0] as Row);
}

function claimOf(row: Row, token: string, now: number): Claim {
  const { message, lane, number, attempt, begun, failures, accepted, tried, reply, files, isNotice } = row;
  return {
    lane,
    token,
    number,
    message,
    deliveryCount: attempt,
    begun,
    failures,
    ageMs: now - accepted,
    isNotice,
    ...(tried !== undefined && { triedMsAgo: now - tried }),
    ...(reply !== undefined && { reply }),
    ...(files !== undefined && { files }),
  };
}
