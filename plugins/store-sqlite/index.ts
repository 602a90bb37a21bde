import { join } from "node:path";
import { Audit, Checks, Commands, definePlugin, Media, Runtime, Store } from "@gantry/sdk";
import { ProcessLock, servingLock } from "@gantry/sdk/node";
import { Type } from "typebox";
import { recordPruned } from "../shared/record-pruned.ts";
import { sessionDays } from "../shared/session-days.ts";
import { errors } from "./errors.ts";
import { layout } from "./layout.ts";
import { createStore } from "./store.ts";

const DAY_MS = 86_400_000;

export default definePlugin({
  name: "store-sqlite",
  summary: "Everything that must survive a restart, in one SQLite file and a folder of media.",
  table: "",
  config: Type.Object({
    memory: Type.Object({
      session_retention_days: sessionDays,
    }),
    store: Type.Object({
      min_free_mb: Type.Integer({
        // With less the next busy hour could fill the disk.
        default: 64,
        minimum: 1,
        maximum: 1_073_741_824,
        description: "MiB free on the disk of the store, below which the service is not ready.",
      }),
    }),
  }),
  needs: { audit: Audit, runtime: Runtime },
  provides: [Checks, Commands, Media, Store],
  layout: layout.length,
  errors,
  setup(host) {
    const { runtime } = host.needs;
    const { configDir } = runtime;
    const file = join(configDir, "state", "gantry.db");
    const days = host.config.memory.session_retention_days;
    const minFree = host.config.store.min_free_mb;
    const { store, media, db, close } = createStore(file, {
      sessionsMs: days === undefined ? undefined : days * DAY_MS,
      onPruned: (pruned) => recordPruned(host, pruned),
      heldBy: () => ProcessLock.otherHolder(servingLock(configDir)),
      onClockSet: (ms) =>
        host.log.warn({ ms }, "The machine's clock was set; what waits goes by the new time."),
    });
    host.provide(Store, {
      ...store,
      backup: async (to) => void (await (await import("./backup.ts")).writeBackup(to, runtime, db)),
    });
    host.provide(Media, media);
    host.provide(Checks, {
      name: "store",
      kind: "ready",
      run: async () => (await import("./health.ts")).readyRows(db, minFree),
    });
    host.provide(Checks, {
      name: "store-disk",
      kind: "status",
      run: async () => (await import("./health.ts")).diskRows(db, minFree),
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
      summary:
        "write the store and the configuration directory, but not the workspace, into one file, beside the running service",
      args: ["<file>"],
      run: async (run) => (await import("./backup.ts")).backup(run, runtime, db),
    });
    host.provide(Commands, {
      name: "restore",
      summary:
        "put back a backup, the store kept before an upgrade, or the folder that a restore made; " +
        "what is there goes aside",
      args: ["[file]"],
      options: [
        { flags: "--layout <n>", summary: "the store as it was kept in this layout" },
        { flags: "--dry-run", summary: "say what would be put back, and change nothing" },
        { flags: "--yes", summary: "put it back" },
      ],
      despiteProblems: true,
      run: async (run) => (await import("./restore.ts")).restore(run, { ...host.needs, db }),
    });
    host.onDispose(close);
  },
});
