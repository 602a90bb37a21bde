import { definePlugin, Media, Store, type Plugin } from "../index.ts";
import { erase } from "./memory-store/erase.ts";
import { lanes } from "./memory-store/lanes.ts";
import { limits } from "./memory-store/limits.ts";
import { createMemoryMedia } from "./memory-store/media.ts";
import { memory } from "./memory-store/memory.ts";
import { sessionsIn } from "./memory-store/sessions.ts";
import { emptyStoreState, endNode, type StoreHandle, type StoreState } from "./memory-store/state.ts";
import { usage } from "./memory-store/usage.ts";
import { valuesOfProcess } from "../node/process-values.ts";

export { emptyStoreState, endNode, type StoreHandle, type StoreState } from "./memory-store/state.ts";
export { createMemoryMedia } from "./memory-store/media.ts";

const states = new WeakMap<Store, StoreState>();
const only = "this process";

/**
 * A store that forgets everything with the process: the slot's whole contract, nothing on disk.
 * What it holds stands in `state`, which is changed in place. A store built on it gives each of its
 * processes a handle with a `node` of its own, and calls `endNode` when one ends; a process that
 * was killed holds its lanes until their time is over.
 */
export function createMemoryStore(state: StoreState = emptyStoreState(), handle: StoreHandle = {}): Store {
  const { sessions, memories, rows, held, hits, costs, values } = state;
  const { now = Date.now, node = only, listeners = new Set() } = handle;
  const { entries } = memories;
  const store: Store = {
    sessions: sessionsIn(sessions, held, values),
    memory: memory(memories),
    lanes: lanes(state, { now, node, listeners }),
    limits: limits(hits, now),
    values: valuesOfProcess(values, now),
    usage: usage(costs),
    erase: async (user) => erase(user, { sessions, entries, rows, costs, values }),
  };
  states.set(store, state);
  return store;
}

/** The same as a plugin, whose end frees what is held. */
export function memoryStore(store: Store = createMemoryStore(), media: Media = createMemoryMedia()): Plugin {
  return definePlugin({
    name: "store-memory",
    provides: [Store, Media],
    setup(host) {
      host.provide(Store, store);
      host.provide(Media, media);
      const state = states.get(store);
      if (state) host.onDispose(() => endNode(state, only));
    },
  });
}
