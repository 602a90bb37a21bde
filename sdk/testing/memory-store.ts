import { definePlugin, Media, Store, type Plugin } from "../index.ts";
import { erase } from "./memory-store/erase.ts";
import { lanes } from "./memory-store/lanes.ts";
import { limits } from "./memory-store/limits.ts";
import { createMemoryMedia } from "./memory-store/media.ts";
import { memory } from "./memory-store/memory.ts";
import { sessionsIn } from "./memory-store/sessions.ts";
import { emptyStoreState, type StoreState } from "./memory-store/state.ts";
import { usage } from "./memory-store/usage.ts";
import { values } from "./memory-store/values.ts";

export { emptyStoreState, type StoreState } from "./memory-store/state.ts";
export { createMemoryMedia } from "./memory-store/media.ts";

/**
 * A store that forgets everything with the process: the slot's whole contract, nothing on disk. What it holds stands in
 * `state`, which is changed in place.
 */
export function createMemoryStore(state: StoreState = emptyStoreState()): Store {
  const { sessions, memories, rows, held, hits, costs } = state;
  const { entries } = memories;
  return {
    sessions: sessionsIn(sessions),
    memory: memory(memories),
    lanes: lanes(sessions, rows, held),
    limits: limits(hits),
    values: values(state.values),
    usage: usage(costs),
    erase: async (user) => erase(user, { sessions, entries, rows, costs }),
  };
}

/** The same as a plugin. */
export function memoryStore(store: Store = createMemoryStore(), media: Media = createMemoryMedia()): Plugin {
  return definePlugin({
    name: "store-memory",
    provides: [Store, Media],
    setup(host) {
      host.provide(Store, store);
      host.provide(Media, media);
    },
  });
}
