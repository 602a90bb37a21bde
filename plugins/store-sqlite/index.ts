import { join } from "node:path";
import { Audit, Checks, Commands, definePlugin, Media, Runtime, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { createStore } from "./store.ts";

export default definePlugin({
  name: "store-sqlite",
  summary: "Everything that must survive a restart, in one SQLite file and a folder of media.",
  needs: { audit: Audit, runtime: Runtime },
  provides: [Checks, Commands, Media, Store],
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
    host.provide(Commands, {
      name: "backup",
      summary: "write the store and the configuration directory into one file, beside the running service",
      args: ["<file>"],
      run: async (run) => (await import("./backup.ts")).backup(run, host.needs.runtime, db),
    });
    host.provide(Commands, {
      name: "restore",
      summary: "put back what `gantry backup` wrote; what is there now is moved aside",
      args: ["<file>"],
      options: [
        { flags: "--dry-run", summary: "say what would be put back, and change nothing" },
        { flags: "--yes", summary: "put it back" },
      ],
      run: async (run) => (await import("./restore.ts")).restore(run, { ...host.needs, db }),
    });
    host.onDispose(close);
  },
});
