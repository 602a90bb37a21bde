import { join } from "node:path";
import { definePlugin, Runtime, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { createStore } from "./store.ts";

export default definePlugin({
  name: "store-sqlite",
  summary: "Everything that must survive a restart, in one SQLite file.",
  needs: { runtime: Runtime },
  provides: [Store],
  errors,
  setup(host) {
    const { store, open, close } = createStore(join(host.needs.runtime.configDir, "state", "gantry.db"));
    host.provide(Store, store);
    host.onServe(open);
    host.onDispose(close);
  },
});
