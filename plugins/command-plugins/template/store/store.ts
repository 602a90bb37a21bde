import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import type { Store } from "@gantry/sdk";
import { replaceFile } from "@gantry/sdk/node";
import { createMemoryStore, emptyStoreState, endNode, type StoreState } from "@gantry/sdk/testing";

const node = "the one process";

/**
 * Where to start: everything in one file, which is replaced whole after each change. That keeps every promise of a store and is
 * too slow for a crowd, so put your database behind one part after the other (values, limits, memory, sessions, lanes); the
 * contract in index.test.ts stays green. The file is one process's: whoever held a lane before has ended.
 */
export async function openStore(file: string, now: () => number = Date.now): Promise<Store> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  const state = bytes ? (deserialize(bytes) as StoreState) : emptyStoreState();
  endNode(state, node);
  let last = Promise.resolve();
  // One after the other, so that the file never goes back to an older state.
  const save = (): Promise<void> => {
    last = last.catch(() => {}).then(() => replaceFile(file, serialize(state)));
    return last;
  };
  return saved(createMemoryStore(state, { node, now }), save);
}

/** The same store, each promise of which means: it is on disk. */
function saved<Part extends object>(part: Part, save: () => Promise<void>): Part {
  const wrap = (name: string, value: unknown): unknown => {
    // It changes nothing, and returns what ends it at once.
    if (name === "onDue") return value;
    if (typeof value !== "function") return saved(value as object, save);
    return async (...args: unknown[]) => {
      const result: unknown = await value(...args);
      await save();
      return result;
    };
  };
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, wrap(name, value)])) as Part;
}
