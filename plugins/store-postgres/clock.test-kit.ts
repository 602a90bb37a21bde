import postgres, { type Sql } from "postgres";
import { connect } from "./connect.ts";
import { prepareLayout } from "./migrate.ts";
import type { PostgresServer } from "./server.test-kit.ts";
import { createStore, type OpenedStore } from "./store.ts";

export const log = { debug() {}, info() {}, warn() {}, error() {} };

export function optionsFor(
  url: string,
  more: {
    readonly name?: string;
    readonly prepare?: boolean;
    readonly directUrl?: string;
    readonly sharesWorkspace?: boolean;
  } = {},
) {
  return {
    url,
    prepare: true,
    migrate: true,
    name: "node",
    version: "0",
    log,
    sharesWorkspace: false,
    ...more,
  };
}

/** One database for many cases, emptied between them, whose clock goes on when it is told to. */
export async function caseDatabase(server: PostgresServer) {
  const url = await server.database();
  const options = optionsFor(url);
  await prepareLayout(options, url);
  const sql = await connect(options, url, 1);
  await sql.unsafe(`
    CREATE TABLE passed (ms bigint NOT NULL);
    INSERT INTO passed VALUES (0);
    CREATE OR REPLACE FUNCTION gantry_now() RETURNS bigint LANGUAGE sql AS $$
      SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ms FROM passed $$`);
  const tables = await sql<{ name: string }[]>`SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND relname NOT IN ('gantry_layout', 'passed')`;
  return {
    url,
    pass: async (ms: number): Promise<void> => void (await sql`UPDATE passed SET ms = ms + ${ms}`),
    empty: async (): Promise<void> =>
      void (await sql.unsafe(tables.map(({ name }) => `DELETE FROM ${name}`).join(";"))),
    end: () => sql.end({ timeout: 1 }),
  };
}

/** Stores on one database, each with connections of its own as on another machine. */
export function handlesOn(url: string, more: Parameters<typeof optionsFor>[1] = {}) {
  const opened: OpenedStore[] = [];
  const connectOne = (): OpenedStore => {
    const one = createStore(optionsFor(url, more));
    opened.push(one);
    return one;
  };
  const close = async (): Promise<void> => void (await Promise.allSettled(opened.map((one) => one.close())));
  return { connect: connectOne, close };
}

export async function withSql<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
