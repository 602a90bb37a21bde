import path from "node:path";
import { Checks, definePlugin, Runtime, Services, Store } from "@gantry/sdk";
import type { Backups } from "./backups.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "backup-sealed",
  summary: "Backups at their times, encrypted, of which the newest are kept.",
  table: "backup",
  config,
  needs: { runtime: Runtime, store: Store },
  provides: [Checks, Services],
  errors,
  setup(host) {
    const { runtime, store } = host.needs;
    const plan = async () => (await import("./plan.ts")).planOf(host.config, runtime.configDir);
    host.provide(Checks, {
      name: host.name,
      kind: "doctor",
      run: async () => (await import("./rows.ts")).doctorRows(plan, store),
    });
    let backups: Backups | undefined;
    host.provide(Checks, { name: "backup", kind: "ready", run: async () => backups?.rows() ?? [] });
    host.onServe(async () => {
      const { Backups: Made } = await import("./backups.ts");
      const state = path.join(runtime.configDir, "state");
      backups = new Made(plan, { store, state, log: host.log });
      host.provide(Services, backups);
    });
  },
});
