import {
  Checks,
  Commands,
  ConfigFile,
  definePlugin,
  Models,
  optional,
  Redactors,
  Router,
  Runner,
  Runtime,
  Store,
} from "@gantry/sdk";
import { doctorCommands } from "./commands.ts";

export default definePlugin({
  name: "command-doctor",
  summary:
    "status, doctor and channel doctor: what is configured, what is in force, what is wrong and the cure.",
  needs: {
    checks: Checks,
    configFile: ConfigFile,
    models: Models,
    redactors: Redactors,
    router: optional(Router),
    runner: optional(Runner),
    runtime: Runtime,
    store: optional(Store),
  },
  provides: [Commands],
  setup(host) {
    for (const command of doctorCommands(host.needs)) host.provide(Commands, command);
  },
});
