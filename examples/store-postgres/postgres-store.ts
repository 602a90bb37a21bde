import { randomUUID } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { errors, GantryError } from "@gantry/sdk";
import type { Store } from "@gantry/sdk";
import { createMemoryStore, emptyStoreState, endNode, type StoreState } from "@gantry/sdk/testing";
import type { Sql, TransactionSql } from "postgres";

/** Any number that all nodes agree on: `CREATE TABLE IF NOT EXISTS` fails beside itself. */
const MAKING = 7_301_994;
const WAKE = "gantry_due";

/**
 * The whole contract in one row. Each call locks it, works on what it holds, and writes it back in the same transaction:
 * so all nodes see one order of all changes by the database's clock, and a promise means that it is committed. A node
 * that was killed holds its lanes until their time is over. Right for a family, too slow for a crowd: give one part after
 * the other (values, limits, memory, sessions, lanes) tables of its own. `passed` is added to the clock: for tests.
 */
export function createStore(
  open: () => Promise<Sql>,
  passed: () => number = () => 0,
): { readonly store: Store; close(): Promise<void> } {
  const node = randomUUID();
  const listeners = new Set<() => void>();
  let opened: Promise<Sql> | undefined;
  const connected = (): Promise<Sql> => {
    // A database that was not there is tried again by the next call.
    opened ??= prepared(open, () => listeners.forEach((wake) => wake())).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  /** One call: `work` changes the state in place; every node is told once that is committed. */
  const change = <T>(work: (store: Store, state: StoreState) => Promise<T>): Promise<T> =>
    telling(async () => {
      const sql = await connected();
      const result = await sql.begin(async (transaction) => {
        const { state, now } = await read(transaction);
        const told = new Set([() => void (isDue = true)]);
        let isDue = false;
        const done = await work(
          createMemoryStore(state, { node, now: () => now + passed(), listeners: told }),
          state,
        );
        await transaction`UPDATE gantry SET state = ${serialize(state)} WHERE id = 1`;
        // PostgreSQL tells it when the transaction is committed, and not before.
        if (isDue) await transaction`SELECT pg_notify(${WAKE}, '')`;
        return { done };
      });
      return result.done as T;
    });
  const store = remote(change);
  const onDue = (wake: () => void) => {
    listeners.add(wake);
    return () => void listeners.delete(wake);
  };
  return {
    store: { ...store, lanes: { ...store.lanes, onDue } },
    async close() {
      if (opened !== undefined) await change(async (_, state) => endNode(state, node));
    },
  };
}

/** Makes the table if this node is the first, and listens for what the others commit. */
async function prepared(open: () => Promise<Sql>, wake: () => void): Promise<Sql> {
  const sql = await open();
  await sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(${MAKING})`;
    await transaction`
      CREATE TABLE IF NOT EXISTS gantry (id int PRIMARY KEY CHECK (id = 1), state bytea NOT NULL)`;
    await transaction`
      INSERT INTO gantry (id, state) VALUES (1, ${serialize(emptyStoreState())}) ON CONFLICT DO NOTHING`;
  });
  await sql.listen(WAKE, wake);
  return sql;
}

/** Locks the row until the transaction ends; the time is the database's. */
async function read(transaction: TransactionSql): Promise<{ state: StoreState; now: number }> {
  const [row] = await transaction<{ state: Buffer; now: string }[]>`
    SELECT state, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM gantry WHERE id = 1 FOR UPDATE`;
  if (row === undefined) throw errors.STORE_FAILED("in PostgreSQL", "its row is gone");
  return { state: deserialize(row.state) as StoreState, now: Math.floor(Number(row.now)) };
}

/** What the driver throws becomes a failure that callers know how to try again; the contract's own errors pass. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GantryError) throw error;
    const { message, code } = error as { message: string; code?: string };
    throw errors.STORE_FAILED("in PostgreSQL", message || String(code));
  }
}

type Change = <T>(work: (store: Store) => Promise<T>) => Promise<T>;
type Call = (...args: unknown[]) => Promise<unknown>;

/** A store whose every call is one change: its members are those of the contract itself, so none can be forgotten. */
function remote(change: Change): Store {
  const call = (pick: (store: Store) => unknown): Call => {
    return (...args) => change((store) => (pick(store) as Call)(...args));
  };
  const parts = (Object.entries(createMemoryStore()) as [keyof Store, object][]).map(([part, members]) => {
    if (typeof members === "function") return [part, call((store) => store[part])];
    const calls = Object.keys(members).map((name) => [
      name,
      call((store) => (store[part] as unknown as Record<string, Call>)[name]),
    ]);
    return [part, Object.fromEntries(calls)];
  });
  return Object.fromEntries(parts) as Store;
}
