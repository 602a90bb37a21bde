import {
  Audit,
  Checks,
  Commands,
  ConfigFile,
  definePlugin,
  Policy,
  Providers,
  optional,
  Routes,
  Sandbox,
  Runtime,
  Store,
} from "@gantry/sdk";
import { Redactors, ModelRouter } from "@gantry/sdk/fill";
import { doctorCommands } from "./commands.ts";
import { errors } from "./errors.ts";
import { doctorRoutes } from "./routes.ts";

export default definePlugin({
  name: "command-doctor",
  summary:
    "status, doctor and channel doctor: what is configured, what is in force, what is wrong and the cure.",
  needs: {
    audit: Audit,
    checks: Checks,
    configFile: ConfigFile,
    models: Providers,
    policy: Policy,
    redactors: Redactors,
    router: optional(ModelRouter),
    sandbox: optional(Sandbox),
    runtime: Runtime,
    store: optional(Store),
  },
  provides: [Commands, Routes],
  errors,
  setup(host) {
    for (const command of doctorCommands(host.needs)) host.provide(Commands, command);
    host.onServe(async () => {
      for (const route of doctorRoutes(host.needs)) host.provide(Routes, route);
      const open = await (await import("./check-files.ts")).openToOthers(host.needs.runtime);
      if (open !== undefined) host.log.warn({}, open);
    });
  },
});
