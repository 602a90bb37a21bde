import { errors as shared } from "@gantry/sdk";
import type { Sql, TransactionSql } from "postgres";
import { connect, type DatabaseOptions } from "./connect.ts";
import { errors } from "./errors.ts";
import { layout, oldest } from "./layout/layout.ts";

/** Any number that all nodes agree on; the lock ends with its transaction. */
const makingLock = 7_301_994;
const leastServer = 14;

export interface LayoutState {
  /** 0: nothing is there yet. */
  readonly found: number;
  readonly known: number;
}

/**
 * Brings the database to the layout of this release, if it has an older one and `migrate` lets it.
 * One node does so, the others wait for it. Throws `STORE_NEWER` and `STORE_LAYOUT`.
 */
export function prepareLayout(
  options: DatabaseOptions,
  shown: string,
  steps: readonly string[] = layout,
): Promise<LayoutState> {
  return withOne(options, async (sql) => {
    const { found, known } = await usable(sql, options, shown, steps.length);
    if (found >= known) return { found, known };
    const [server] = await sql<{ version: number }[]>`
      SELECT current_setting('server_version_num')::int / 10000 AS version`;
    if (server!.version < leastServer) throw errors.STORE_SERVER_OLD(shown, server!.version);
    await sql.begin((transaction) => forward(transaction, steps));
    return { found, known };
  });
}

/** Returns what is there, and changes nothing. */
export function layoutState(options: DatabaseOptions): Promise<LayoutState> {
  return withOne(options, async (sql) => ({ found: (await read(sql)).found, known: layout.length }));
}

/**
 * Returns what is there for a call that only reads, and changes nothing. Throws as
 * {@link prepareLayout} does.
 */
export function layoutToRead(options: DatabaseOptions, shown: string): Promise<LayoutState> {
  return withOne(options, (sql) => usable(sql, options, shown, layout.length));
}

async function usable(
  sql: Sql,
  { migrate }: DatabaseOptions,
  shown: string,
  known: number,
): Promise<LayoutState> {
  const { found, least } = await read(sql);
  if (least > known) throw shared.STORE_NEWER(shown, found, known, "");
  if (found < known && !migrate) throw errors.STORE_LAYOUT(shown, found, known);
  return { found, known };
}

async function withOne<Answer>(
  options: DatabaseOptions,
  work: (sql: Sql) => Promise<Answer>,
): Promise<Answer> {
  const sql = await connect(options, options.directUrl ?? options.url, 1);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function read(sql: Sql | TransactionSql): Promise<{ readonly found: number; readonly least: number }> {
  // Not to_regclass, which may remember for a transaction that there was none.
  const [table] = await sql<{ is: boolean }[]>`SELECT EXISTS (SELECT 1 FROM pg_class
    WHERE relname = 'gantry_layout' AND pg_table_is_visible(oid)) AS is`;
  if (!table?.is) return { found: 0, least: 0 };
  const [row] = await sql<{ found: number; least: number }[]>`
    SELECT layout AS found, oldest AS least FROM gantry_layout`;
  return row ?? { found: 0, least: 0 };
}

async function forward(sql: TransactionSql, steps: readonly string[]): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${makingLock})`;
  await sql`SET LOCAL statement_timeout = 0`;
  const { found } = await read(sql);
  // Another node was first.
  if (found >= steps.length) return;
  if (found === 0) await sql`CREATE TABLE gantry_layout (layout int NOT NULL, oldest int NOT NULL)`;
  for (const step of steps.slice(found)) await sql.unsafe(step);
  await sql`DELETE FROM gantry_layout`;
  await sql`INSERT INTO gantry_layout (layout, oldest) VALUES (${steps.length}, ${oldest})`;
}
