import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import path from "node:path";
import { Commands, definePlugin, Runtime } from "@gantry/sdk";
import { gantryCommand, isExecutable, nodeProgram } from "@gantry/sdk/node";
import { Type } from "typebox";
import { serviceCommands } from "./commands.ts";
import { errors } from "./errors.ts";
import { launchd } from "./launchd.ts";
import type { Manager, Scope, ServiceSpec } from "./plan.ts";
import { systemd } from "./systemd.ts";

export default definePlugin({
  name: "service-manager",
  summary: "Installs the daemon as a service: systemd and launchd.",
  table: "",
  config: Type.Object({
    service: Type.Object({
      max_open_files: Type.Integer({
        default: 65_536,
        minimum: 1_024,
        needsRestart: true,
        description: "Files and connections of the installed service; `gantry service install` writes it.",
      }),
      max_memory_mb: Type.Optional(
        Type.Integer({
          minimum: 256,
          needsRestart: true,
          description:
            "Memory of the installed service with all that it starts, in MiB; `gantry service install` writes it. Left out: no bound.",
        }),
      ),
    }),
  }),
  needs: { runtime: Runtime },
  provides: [Commands],
  errors,
  setup(host) {
    const manager = (scope: Scope) =>
      managerOf(process.platform, scope, specOf(host.needs.runtime.configDir, host.config.service));
    for (const command of serviceCommands(manager)) host.provide(Commands, command);
  },
});

/** The daemon, as this very program is run and without a signal that opens its debugger. */
function specOf(configDir: string, limits: ServiceSpec["limits"]): ServiceSpec {
  return {
    argv: gantryCommand(["--disable-sigusr1", ...(isExecutable() ? [] : steady())], ["daemon"]),
    env: { SERVICE_CONFIG_DIR: configDir, PATH: searchPath(process.env["PATH"]) },
    home: homedir(),
    limits,
  };
}

/**
 * Returns the flag that turns memory keys off: V8 loses count of the pages that they guard if
 * threads come and go, as in a reload, and ends the process (nodejs/node#64500). Node does not
 * promise V8's flags, and an unknown one would stop the start. The executable has the flag inside.
 */
function steady(): readonly string[] {
  const flags = ["--no-memory-protection-keys"];
  const { status } = spawnSync(nodeProgram, [...flags, "--version"], { stdio: "ignore", timeout: 10_000 });
  return status === 0 ? flags : [];
}

/** Without the folders that npm puts before it for its scripts. */
function searchPath(given: string = ""): string {
  const kept = given
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.includes("/node_modules/"));
  return kept.join(path.delimiter) || "/usr/local/bin:/usr/bin:/bin";
}

function managerOf(platform: NodeJS.Platform, scope: Scope, spec: ServiceSpec): Manager {
  if (platform === "linux") return systemd(spec, process.env, scope);
  if (scope === "system") throw errors.SERVICE_NO_SYSTEM(platform);
  if (platform === "darwin") return launchd(spec, process.getuid?.() ?? 501);
  throw errors.SERVICE_PLATFORM(platform);
}
