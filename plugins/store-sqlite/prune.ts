import { clockHold, judgeClock, type ClockHold } from "../shared/clock-hold.ts";
import type { Pruned } from "../shared/record-pruned.ts";
import { removeSession } from "./session-rows.ts";
import type { Sql } from "./sql.ts";

const DAY = 86_400_000;
/** The time within which nothing is searched again, even by another process. */
export const PRUNE_EVERY_MS = 3_600_000;
/** Platforms redeliver for up to seven days; a finished message's id is kept one day longer. */
const DONE_MS = 8 * DAY;
/** Dead letters stay this long for people to read. */
const DEAD_MS = 30 * DAY;
/** Costs of requests are kept for longer than a year, so that years can be compared. */
const USAGE_MS = 400 * DAY;
const AT_ONCE = 2000;

const SESSIONS_AT_ONCE = 20;

export interface PruneOptions {
  /** The time that a conversation is kept after its last turn. Default: for ever. */
  readonly sessionsMs?: number | undefined;
  /** Told of what was deleted, if anything was. */
  onPruned?(pruned: Pruned): void;
}

/** Drops what has had its time, a bounded piece at once; returns true if more may be left. */
export function prune(sql: Sql, now: number, options: PruneOptions): boolean {
  const pruned = named<number>(sql, "pruned");
  if (pruned !== undefined && now >= pruned && now - pruned < PRUNE_EVERY_MS) return false;
  const isMore = pruneNow(sql, now, options);
  if (!isMore) name(sql, "pruned", now);
  return isMore;
}

/** While the clock is far ahead of the store, drops only what has an end of its own. */
function pruneNow(sql: Sql, now: number, { sessionsMs, onPruned }: PruneOptions): boolean {
  const ended = pruneEnded(sql, now);
  if (holdsBack(sql, now)) return ended;
  const conversations = pruneSessions(sql, now, sessionsMs ?? Number.POSITIVE_INFINITY);
  const done = pruneInbox(sql, 1, now - DONE_MS);
  const dead_letters = pruneInbox(sql, 2, now - DEAD_MS);
  const usage = sql.run(
    "DELETE FROM usage WHERE id IN (SELECT id FROM usage WHERE at < ? ORDER BY at LIMIT ?)",
    now - USAGE_MS,
    AT_ONCE,
  );
  if (conversations + dead_letters + usage > 0) onPruned?.({ conversations, dead_letters, usage });
  return ended || conversations === SESSIONS_AT_ONCE || [done, dead_letters, usage].includes(AT_ONCE);
}

/** Notes the time; returns true while retention waits, as {@link judgeClock} says. */
function holdsBack(sql: Sql, now: number): boolean {
  const before = named<ClockHold>(sql, clockHold.key) ?? { at: newest(sql) ?? now };
  const hold = judgeClock(before, now);
  name(sql, clockHold.key, hold);
  return hold.heldSince !== undefined;
}

function named<T>(sql: Sql, key: string): T | undefined {
  const text = "SELECT value FROM named WHERE space = ? AND key = ?";
  const row = sql.get<{ value: string }>(text, clockHold.space, key);
  return row && (JSON.parse(row.value) as T);
}

function name(sql: Sql, key: string, value: unknown): void {
  const text =
    "INSERT INTO named (space, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value";
  sql.run(text, clockHold.space, key, JSON.stringify(value));
}

/** Returns the newest time in a store of a release that noted none. */
function newest(sql: Sql): number | undefined {
  const row = sql.get<{ at: number | null }>(
    `SELECT max(at) AS at FROM (SELECT max(updated) AS at FROM sessions UNION ALL
     SELECT max(created) FROM memory UNION ALL SELECT max(accepted) FROM inbox UNION ALL SELECT max(at) FROM usage)`,
  );
  return row?.at ?? undefined;
}

function pruneInbox(sql: Sql, state: number, before: number): number {
  return sql.run(
    "DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE state = ? AND ended < ? ORDER BY ended LIMIT ?)",
    state,
    before,
    AT_ONCE,
  );
}

/** Drops what was kept until a time that is over; returns true if more may be left. */
function pruneEnded(sql: Sql, now: number): boolean {
  const removed = [
    sql.run(
      "DELETE FROM named WHERE (space, key) IN (SELECT space, key FROM named WHERE expires IS NOT NULL AND expires <= ? LIMIT ?)",
      now,
      AT_ONCE,
    ),
    sql.run(
      "DELETE FROM hits WHERE id IN (SELECT id FROM hits WHERE id < ifnull((SELECT id FROM hits WHERE expires > ? ORDER BY id LIMIT 1), 1e18) LIMIT ?)",
      now,
      AT_ONCE,
    ),
    sql.run(
      "DELETE FROM lanes WHERE lane IN (SELECT lane FROM lanes WHERE head IS NULL AND until <= ? LIMIT ?)",
      now,
      AT_ONCE,
    ),
  ];
  return removed.includes(AT_ONCE);
}

/**
 * Drops those without a turn for so long, and those that were opened and never had one; returns how
 * many.
 */
function pruneSessions(sql: Sql, now: number, sessionsMs: number): number {
  const old = sql.all<{ id: string }>(
    "SELECT id FROM sessions WHERE updated < ? OR (turns = 0 AND updated < ?) ORDER BY updated LIMIT ?",
    Math.max(now - sessionsMs, 0),
    now - DAY,
    SESSIONS_AT_ONCE,
  );
  for (const { id } of old) removeSession(sql, id);
  return old.length;
}
