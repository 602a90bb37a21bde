import { definePlugin, Media, Store, type Plugin, type UsageRow } from "../index.ts";
import { erase } from "./memory-store/erase.ts";
import { lanes, type Row } from "./memory-store/lanes.ts";
import { limits } from "./memory-store/limits.ts";
import { createMemoryMedia } from "./memory-store/media.ts";
import { memory, type Entries } from "./memory-store/memory.ts";
import { sessionsIn, type SessionMap } from "./memory-store/sessions.ts";
import { usage } from "./memory-store/usage.ts";
import { values } from "./memory-store/values.ts";

export { createMemoryMedia } from "./memory-store/media.ts";

/** A store that forgets everything with the process: the slot's whole contract, nothing on disk. */
export function createMemoryStore(): Store {
  const sessions: SessionMap = new Map();
  const kept = { sessions, entries: [] as Entries, rows: [] as Row[], costs: [] as UsageRow[] };
  return {
    sessions: sessionsIn(sessions),
    memory: memory(kept.entries),
    lanes: lanes(sessions, kept.rows),
    limits: limits(),
    values: values(),
    usage: usage(kept.costs),
    erase: async (user) => erase(user, kept),
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
