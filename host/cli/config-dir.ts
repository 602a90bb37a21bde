import { homedir } from "node:os";
import path from "node:path";

/**
 * `$SERVICE_CONFIG_DIR`, else `~/.gantry`; absolute. Takes a `HOME` out of `env` that names no
 * place, as where a unit sets it empty: the system's own is meant then, and not the folder where
 * one stands.
 */
export function configDirOf(env: NodeJS.ProcessEnv): string {
  if (!path.isAbsolute(env["HOME"] ?? "/")) delete env["HOME"];
  return path.resolve(env["SERVICE_CONFIG_DIR"] || path.join(homedir(), ".gantry"));
}
