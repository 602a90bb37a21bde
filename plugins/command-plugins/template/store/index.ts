import path from "node:path";
import { definePlugin, Runtime, Store } from "@gantry/sdk";
import { openStore } from "./store.ts";

export default definePlugin({
  name: "store-example",
  summary: "Keeps everything that must survive a restart: put your own line here.",
  needs: { runtime: Runtime },
  provides: [Store],
  async setup(host) {
    host.provide(Store, await openStore(path.join(host.needs.runtime.configDir, "example.store")));
  },
});
