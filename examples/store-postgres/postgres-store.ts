import { randomUUID } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { Store } from "@gantry/sdk";
import { createMemoryStore, emptyStoreState, endNode, type StoreState } from "@gantry/sdk/testing";

/** What of a client is used; that of a server has the same under other names. */
export interface Queries {
  query<Row>(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>;
}
export interface Database extends Queries {
  exec(sql: string): Promise<unknown>;
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

const table = `CREATE TABLE IF NOT EXISTS gantry (id int PRIMARY KEY CHECK (id = 1), state bytea NOT NULL)`;
const read = `SELECT state, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM gantry WHERE id = 1 FOR UPDATE`;
const write = `UPDATE gantry SET state = $1 WHERE id = 1`;
const first = `INSERT INTO gantry (id, state) VALUES (1, $1) ON CONFLICT DO NOTHING`;

/**
 * The whole contract in one row. Each call locks it, works on what it holds, and writes it back in the same transaction: so
 * all nodes see one order of all changes by the database's clock, and a promise means that it is committed. A node that was
 * killed holds its lanes until their time is over. Right for a family, too slow for a crowd: give one part after the other
 * (values, limits, memory, sessions, lanes) tables of its own. `passed` is added to the clock: for tests.
 */
export function createStore(
  open: () => Promise<Database>,
  passed: () => number = () => 0,
): { readonly store: Store; close(): Promise<void> } {
  const node = randomUUID();
  const listeners = new Set<() => void>();
  let ready: Promise<Database> | undefined;
  const prepare = async (): Promise<Database> => {
    const database = await open();
    await database.exec(table);
    await database.query(first, [serialize(emptyStoreState())]);
    return database;
  };
  /** One call: `work` changes the state in place; who listens is told once that is committed. */
  const change = async <T>(work: (store: Store, state: StoreState) => Promise<T>): Promise<T> => {
    const database = await (ready ??= prepare());
    let isDue = false;
    const result = await database.transaction(async (queries) => {
      const [row] = (await queries.query<{ state: Uint8Array; now: string }>(read)).rows;
      const state = deserialize(row?.state as Uint8Array) as StoreState;
      const now = Math.floor(Number(row?.now)) + passed();
      const told = new Set([() => void (isDue = true)]);
      const done = await work(createMemoryStore(state, { node, now: () => now, listeners: told }), state);
      await queries.query(write, [serialize(state)]);
      return done;
    });
    if (isDue) for (const wake of listeners) wake();
    return result;
  };
  type Call = (...args: unknown[]) => Promise<unknown>;
  // The parts and their members are those of the contract itself, so none can be forgotten.
  const shape = Object.entries(createMemoryStore()) as [keyof Store, object][];
  const parts = shape.map(([part, members]) => {
    const member = (store: Store, name: string) =>
      (store[part] as unknown as Record<string, Call>)[name] as Call;
    if (typeof members === "function")
      return [part, (...args: unknown[]) => change((store) => (store[part] as unknown as Call)(...args))];
    const calls = Object.keys(members).map((name) => [
      name,
      (...args: unknown[]) => change((store) => member(store, name)(...args)),
    ]);
    return [part, Object.fromEntries(calls)];
  });
  const store = Object.fromEntries(parts) as Store;
  const onDue = (wake: () => void) => {
    listeners.add(wake);
    return () => void listeners.delete(wake);
  };
  return {
    store: { ...store, lanes: { ...store.lanes, onDue } },
    close: async () => ready && change(async (_, state) => endNode(state, node)),
  };
}
