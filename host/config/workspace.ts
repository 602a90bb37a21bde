import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { errors } from "@gantry/sdk";
import { makeDir } from "@gantry/sdk/node";

/** The workspace of the configuration, made where it is missing, absolute and with links followed. */
export async function openWorkspace(configDir: string, configured: string | undefined): Promise<string> {
  const written = configured ?? path.join(configDir, "workspace");
  const home = written === "~" || written.startsWith("~/") ? path.join(homedir(), written.slice(1)) : written;
  const absolute = path.resolve(configDir, home);
  try {
    makeDir(absolute);
    return await realpath(absolute);
  } catch (error) {
    throw errors.CONFIG_UNWRITABLE(absolute, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
