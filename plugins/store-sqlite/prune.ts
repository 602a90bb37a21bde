import { removeSession } from "./sessions.ts";
import type { Sql } from "./sql.ts";

const DAY = 86_400_000;
/** Platforms redeliver for up to seven days; a finished message's id is kept one day longer. */
const DONE_MS = 8 * DAY;
/** What was put aside stays to be looked at. */
const SET_ASIDE_MS = 30 * DAY;
/** What requests cost is kept for longer than a year, so that years can be compared. */
const USAGE_MS = 400 * DAY;
const AT_ONCE = 2000;

const SESSIONS_AT_ONCE = 20;

/** Drops what has had its time, a bounded piece at once; true where more may be left. `sessionsMs`: conversations, or for ever. */
export function prune(sql: Sql, now: number, sessionsMs: number = Number.POSITIVE_INFINITY): boolean {
  const removed = [
    pruneSessions(sql, now, sessionsMs),
    sql.run(
      "DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE state = 1 AND ended < ? ORDER BY ended LIMIT ?)",
      now - DONE_MS,
      AT_ONCE,
    ),
    sql.run(
      "DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE state = 2 AND ended < ? ORDER BY ended LIMIT ?)",
      now - SET_ASIDE_MS,
      AT_ONCE,
    ),
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
    sql.run(
      "DELETE FROM usage WHERE id IN (SELECT id FROM usage WHERE at < ? ORDER BY at LIMIT ?)",
      now - USAGE_MS,
      AT_ONCE,
    ),
  ];
  return removed.some((count) => count === AT_ONCE);
}

/** Those without a turn for so long, and those that were opened and never had one; gives `AT_ONCE` where more may be left. */
function pruneSessions(sql: Sql, now: number, sessionsMs: number): number {
  const old = sql.all<{ id: string }>(
    "SELECT id FROM sessions WHERE updated < ? OR (turns = 0 AND updated < ?) ORDER BY updated LIMIT ?",
    Math.max(now - sessionsMs, 0),
    now - DAY,
    SESSIONS_AT_ONCE,
  );
  for (const { id } of old) removeSession(sql, id);
  return old.length === SESSIONS_AT_ONCE ? AT_ONCE : 0;
}
