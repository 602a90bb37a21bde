import { definePlugin, Media, Store, type Plugin } from "../index.ts";
import { lanes } from "./memory-store/lanes.ts";
import { limits } from "./memory-store/limits.ts";
import { createMemoryMedia } from "./memory-store/media.ts";
import { memory } from "./memory-store/memory.ts";
import { sessionsIn, type SessionMap } from "./memory-store/sessions.ts";
import { usage } from "./memory-store/usage.ts";
import { values } from "./memory-store/values.ts";

export { createMemoryMedia } from "./memory-store/media.ts";

/** A store that forgets everything with the process: the slot's whole contract, nothing on disk. */
export function createMemoryStore(): Store {
  const sessions: SessionMap = new Map();
  return {
    sessions: sessionsIn(sessions),
    memory: memory(),
    lanes: lanes(sessions),
    limits: limits(),
    values: values(),
    usage: usage(),
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
