import { laneOf, type Claim, type InboundMessage, type Lanes } from "../../index.ts";
import { append, type SessionMap } from "./sessions.ts";

interface Row {
  readonly message: InboundMessage;
  state: "waiting" | "done" | "aside";
  attempt: number;
  due: number;
  reply?: string;
  reason?: string;
  at?: string;
}

function same(a: InboundMessage, b: InboundMessage): boolean {
  return a.channel === b.channel && a.id === b.id;
}

export function lanes(sessions: SessionMap): Lanes {
  const rows: Row[] = [];
  const held = new Map<string, { holder: string; until: number; row?: Row }>();
  const free = (lane: string, now: number): boolean => (held.get(lane)?.until ?? 0) <= now;
  /** The row, where the claim still holds its lane. */
  const mine = (claim: Claim): Row | undefined => {
    const hold = held.get(laneOf(claim.message));
    return hold?.holder === claim.owner &&
      hold.row?.attempt === claim.deliveryCount &&
      same(hold.row.message, claim.message)
      ? hold.row
      : undefined;
  };
  const end = (claim: Claim, change: (row: Row) => void): void => {
    const row = mine(claim);
    if (!row) return;
    change(row);
    held.delete(laneOf(claim.message));
  };
  const openRows = (): Row[] => rows.filter(({ state }) => state === "waiting");
  const heads = (): Row[] =>
    openRows().filter(
      (row, i, all) => all.findIndex(({ message }) => laneOf(message) === laneOf(row.message)) === i,
    );
  return {
    accept: async (messages) =>
      messages.map((message) => {
        if (rows.some((row) => same(row.message, message))) return false;
        rows.push({ message: structuredClone(message), state: "waiting", attempt: 0, due: 0 });
        return true;
      }),
    claim: async (holder, leaseMs, now) => {
      const row = heads().find(({ due, message }) => due <= now && free(laneOf(message), now));
      if (!row) return undefined;
      row.attempt += 1;
      held.set(laneOf(row.message), { holder, until: now + leaseMs, row });
      return {
        message: row.message,
        owner: holder,
        deliveryCount: row.attempt,
        ...(row.reply !== undefined && { reply: row.reply }),
      };
    },
    renew: async (claim, leaseMs, now) => {
      const row = mine(claim);
      if (row) held.set(laneOf(claim.message), { holder: claim.owner, until: now + leaseMs, row });
      return row !== undefined;
    },
    answer: async (claim, reply, session, turn) => {
      const row = mine(claim);
      if (!row) return false;
      row.reply = reply;
      append(sessions, session, turn, laneOf(claim.message));
      return true;
    },
    ack: async (claim) => end(claim, (row) => (row.state = "done")),
    retry: async (claim, at, reason) => end(claim, (row) => Object.assign(row, { due: at, reason })),
    deadLetter: async (claim, reason) =>
      end(claim, (row) => Object.assign(row, { state: "aside", reason, at: new Date().toISOString() })),
    recover: async () => held.clear(),
    nextDue: async () => {
      const due = heads().map((row) => Math.max(row.due, held.get(laneOf(row.message))?.until ?? 0));
      return due.length > 0 ? Math.min(...due) : undefined;
    },
    stats: async () => {
      const running = [...held.values()].filter(({ row }) => row).length;
      return {
        waiting: openRows().length - running,
        running,
        deadLetters: rows.filter(({ state }) => state === "aside").length,
      };
    },
    listDeadLetters: async (limit) =>
      rows
        .filter(({ state }) => state === "aside")
        .slice(0, limit)
        .map(({ message: { channel, id }, reason = "", at = "" }) => ({ channel, id, reason, at })),
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
