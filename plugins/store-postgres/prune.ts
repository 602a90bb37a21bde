import { setTimeout } from "node:timers/promises";
import type { TransactionSql } from "postgres";
import { clockHold, judgeClock, type ClockHold } from "../shared/clock-hold.ts";
import type { Pruned } from "../shared/record-pruned.ts";
import type { Database } from "./database.ts";

const dayMs = 86_400_000;
/** The least time between two looks through the data, of all nodes together. */
const pruneEveryMs = 3_600_000;
/** Platforms redeliver for up to seven days; a finished message's id is kept one day longer. */
const doneMs = 8 * dayMs;
/** The time for which dead letters stay to be looked at. */
const asideMs = 30 * dayMs;
/**
 * The time for which the cost of requests is kept: more than a year, so that years can be compared.
 */
const usageMs = 400 * dayMs;
const atOnce = 2_000;
const oneNodeLock = 7_301_996;

/**
 * Drops a bounded piece of what has had its time, on one node at a time; returns undefined if there
 * was nothing to do now. `sessionsMs`: how long a conversation is kept after its last turn.
 */
export async function prune(
  db: Database,
  sessionsMs: number = Number.MAX_SAFE_INTEGER / 2,
): Promise<(Pruned & { readonly isMore: boolean }) | undefined> {
  return db.transaction(async (sql) => {
    const [free] = await sql<{ is: boolean; now: number }[]>`
      SELECT pg_try_advisory_xact_lock(${oneNodeLock}) AS is, gantry_now() AS now`;
    if (!free?.is) return undefined;
    const { now } = free;
    const pruned = await named<number>(sql, "pruned");
    if (pruned !== undefined && now >= pruned && now - pruned < pruneEveryMs) return undefined;
    const ended = await pruneEnded(sql, now);
    const aged = (await holdsBack(sql, now)) ? nothing : await pruneAged(sql, now, sessionsMs);
    const isMore = ended || aged.isMore;
    if (!isMore) await name(sql, "pruned", now);
    return { ...aged, isMore };
  });
}

const nothing = { conversations: 0, dead_letters: 0, usage: 0, isMore: false };

async function pruneAged(
  sql: TransactionSql,
  now: number,
  sessionsMs: number,
): Promise<Pruned & { readonly isMore: boolean }> {
  const sessions = await sql`
    DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE updated < ${now - sessionsMs}::bigint
      OR (turns = 0 AND updated < ${now - dayMs}::bigint) ORDER BY updated LIMIT ${atOnce})`;
  const ended = (state: number, before: number) => sql`
    DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE state = ${state}
      AND ended < ${before}::bigint ORDER BY ended LIMIT ${atOnce})`;
  const done = await ended(1, now - doneMs);
  const aside = await ended(2, now - asideMs);
  const usage = await sql`
    DELETE FROM usage WHERE id IN (SELECT id FROM usage WHERE at < ${now - usageMs}::bigint
      ORDER BY at LIMIT ${atOnce})`;
  const isMore = [sessions, done, aside, usage].some(({ count }) => count === atOnce);
  return { conversations: sessions.count, dead_letters: aside.count, usage: usage.count, isMore };
}

/** Drops what was kept until a time that is over; returns true if more may be left. */
async function pruneEnded(sql: TransactionSql, now: number): Promise<boolean> {
  const removed = [
    await sql`DELETE FROM named WHERE (space, key) IN (SELECT space, key FROM named
      WHERE expires <= ${now}::bigint LIMIT ${atOnce})`,
    await sql`DELETE FROM hits WHERE id IN (SELECT id FROM hits WHERE expires <= ${now}::bigint
      LIMIT ${atOnce})`,
    // A sender who wants one of these is not waited for.
    await sql`DELETE FROM lanes WHERE lane IN (SELECT lane FROM lanes WHERE head IS NULL
      AND until <= ${now}::bigint LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`,
  ];
  return removed.some(({ count }) => count === atOnce);
}

/** Notes the time; returns true while retention waits, as {@link judgeClock} says. */
async function holdsBack(sql: TransactionSql, now: number): Promise<boolean> {
  const before = (await named<ClockHold>(sql, clockHold.key)) ?? { at: now };
  const hold = judgeClock(before, now);
  await name(sql, clockHold.key, hold);
  return hold.heldSince !== undefined;
}

async function named<T>(sql: TransactionSql, key: string): Promise<T | undefined> {
  const [row] = await sql<{ value: string }[]>`
    SELECT value FROM named WHERE space = ${clockHold.space} AND key = ${key}`;
  return row && (JSON.parse(row.value) as T);
}

async function name(sql: TransactionSql, key: string, value: unknown): Promise<void> {
  await sql`INSERT INTO named (space, key, value)
    VALUES (${clockHold.space}, ${key}, ${JSON.stringify(value)})
    ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`;
}

/**
 * Looks through the store now and once in an hour, until `signal` is aborted. `told` hears what was
 * deleted. A database that is away is looked through later.
 */
export async function pruneHourly(
  db: Database,
  sessionsMs: number | undefined,
  told: (pruned: Pruned) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const pruned = await prune(db, sessionsMs).catch(() => undefined);
    if (pruned && pruned.conversations + pruned.dead_letters + pruned.usage > 0) told(pruned);
    const pause = pruned?.isMore ? 1_000 : pruneEveryMs;
    await setTimeout(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
