import { join } from "node:path";
import { definePlugin, Media, Runtime, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { createStore } from "./store.ts";

export default definePlugin({
  name: "store-sqlite",
  summary: "Everything that must survive a restart, in one SQLite file and a folder of media.",
  needs: { runtime: Runtime },
  provides: [Store, Media],
  errors,
  setup(host) {
    const { store, media, close } = createStore(join(host.needs.runtime.configDir, "state", "gantry.db"));
    host.provide(Store, store);
    host.provide(Media, media);
    host.onDispose(close);
  },
});
