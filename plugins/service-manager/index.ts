import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { Commands, definePlugin, Runtime, RuntimeLimits } from "@gantry/sdk";
import { Type } from "typebox";
import { serviceCommands } from "./commands.ts";
import { errors } from "./errors.ts";
import { launchd } from "./launchd.ts";
import type { Manager, ServiceSpec } from "./plan.ts";
import { systemd } from "./systemd.ts";

export default definePlugin({
  name: "service-manager",
  summary: "Installs the daemon as a service: systemd and launchd.",
  table: "",
  config: Type.Object({ runtime: RuntimeLimits }),
  needs: { runtime: Runtime },
  provides: [Commands],
  errors,
  setup(host) {
    const manager = () =>
      managerOf(process.platform, specOf(host.needs.runtime.configDir, host.config.runtime));
    for (const command of serviceCommands(manager)) host.provide(Commands, command);
  },
});

/** The daemon, as this very program is run and without a signal that opens its debugger; secrets may stand in `<config_dir>/service.env`. */
function specOf(configDir: string, limits: ServiceSpec["limits"]): ServiceSpec {
  const envFile = `--env-file-if-exists=${path.join(configDir, "service.env")}`;
  const program = realpathSync(process.argv[1] ?? "");
  return {
    argv: [process.execPath, "--disable-sigusr1", envFile, program, "daemon"],
    env: { SERVICE_CONFIG_DIR: configDir, PATH: searchPath(process.env["PATH"]) },
    home: homedir(),
    limits,
  };
}

/** Without the folders that npm puts before it for its scripts. */
function searchPath(given: string = ""): string {
  const kept = given
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.includes("/node_modules/"));
  return kept.join(path.delimiter) || "/usr/local/bin:/usr/bin:/bin";
}

function managerOf(platform: NodeJS.Platform, spec: ServiceSpec): Manager {
  if (platform === "linux") return systemd(spec, process.env);
  if (platform === "darwin") return launchd(spec, process.getuid?.() ?? 501);
  throw errors.SERVICE_PLATFORM(platform);
}
