import { deserialize, serialize } from "node:v8";
import type { Store } from "@gantry/sdk";
import { createMemoryStore, emptyStoreState, type StoreState } from "@gantry/sdk/testing";

/** What of a client is used; that of a server has the same under other names. */
export interface Queries {
  query<Row>(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>;
}
export interface Database extends Queries {
  exec(sql: string): Promise<unknown>;
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

const table = `CREATE TABLE IF NOT EXISTS gantry (id int PRIMARY KEY CHECK (id = 1), state bytea NOT NULL)`;
const first = `INSERT INTO gantry (id, state) VALUES (1, $1) ON CONFLICT DO NOTHING`;

/**
 * The whole contract in one row. Each call locks it, works on what it holds, and writes it back in the same transaction: so
 * all nodes see one order of all changes, and a promise means that it is committed. Right for a family, too slow for a crowd:
 * give one part after the other (values, limits, memory, sessions, lanes) tables of its own.
 */
export function createStore(open: () => Promise<Database>): Store {
  let ready: Promise<Database> | undefined;
  const prepare = async (): Promise<Database> => {
    const database = await open();
    await database.exec(table);
    await database.query(first, [serialize(emptyStoreState())]);
    return database;
  };
  const run = async (part: keyof Store, name: string | undefined, args: unknown[]): Promise<unknown> => {
    const database = await (ready ??= prepare());
    return database.transaction(async (queries) => {
      const { rows } = await queries.query<{ state: Uint8Array }>(
        `SELECT state FROM gantry WHERE id = 1 FOR UPDATE`,
      );
      const state = deserialize(rows[0]?.state as Uint8Array) as StoreState;
      const member = createMemoryStore(state)[part] as unknown as Record<
        string,
        (...given: unknown[]) => unknown
      >;
      const work = (name === undefined ? member : member[name]) as (...given: unknown[]) => unknown;
      const result = await work(...args);
      await queries.query(`UPDATE gantry SET state = $1 WHERE id = 1`, [serialize(state)]);
      return result;
    });
  };
  // The parts and their members are those of the contract itself, so none can be forgotten.
  const shape = Object.entries(createMemoryStore()) as [keyof Store, object][];
  const parts = shape.map(([part, members]) => {
    if (typeof members === "function") return [part, (...args: unknown[]) => run(part, undefined, args)];
    const names = Object.keys(members).map((name) => [name, (...args: unknown[]) => run(part, name, args)]);
    return [part, Object.fromEntries(names)];
  });
  return Object.fromEntries(parts) as Store;
}
