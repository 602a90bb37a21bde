import { join } from "node:path";
import { Checks, definePlugin, Media, Runtime, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { createStore } from "./store.ts";

export default definePlugin({
  name: "store-sqlite",
  summary: "Everything that must survive a restart, in one SQLite file and a folder of media.",
  needs: { runtime: Runtime },
  provides: [Checks, Media, Store],
  errors,
  setup(host) {
    const { store, media, db, close } = createStore(join(host.needs.runtime.configDir, "state", "gantry.db"));
    host.provide(Store, store);
    host.provide(Media, media);
    host.provide(Checks, {
      name: "store-ready",
      kind: "ready",
      run: async () => (await import("./health.ts")).readyRows(db),
    });
    host.provide(Checks, {
      name: "store-file",
      kind: "doctor",
      run: async () => (await import("./health.ts")).doctorRows(db),
    });
    host.onServe(async () => {
      await import("./health.ts");
      // Opens all the files that it ever opens.
      await db.commit(() => {});
    });
    host.onDispose(close);
  },
});
