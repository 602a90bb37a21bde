import {
  Audit,
  Commands,
  ConfigFile,
  definePlugin,
  optional,
  Routes,
  Runtime,
  Sandbox,
  Upstream,
} from "@gantry/sdk";
import { pluginCommands } from "./commands.ts";
import { errors } from "./errors.ts";
import { pluginsRoute } from "./routes.ts";

export default definePlugin({
  name: "command-plugins",
  summary: "plugins new, check, add and remove; GET /api/plugins.",
  needs: {
    audit: Audit,
    configFile: ConfigFile,
    runtime: Runtime,
    sandbox: optional(Sandbox),
    upstream: optional(Upstream),
  },
  provides: [Commands, Routes],
  errors,
  setup(host) {
    const templates = new URL("./template/", import.meta.url);
    const needs = { ...host.needs, base: import.meta.url };
    for (const command of pluginCommands(needs, templates)) host.provide(Commands, command);
    host.onServe(async () => {
      host.provide(Routes, pluginsRoute(needs.runtime));
    });
  },
});
