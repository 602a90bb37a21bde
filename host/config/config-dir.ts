import { homedir } from "node:os";
import path from "node:path";

/** `$SERVICE_CONFIG_DIR`, else `~/.gantry`; absolute. */
export function configDirOf(env: NodeJS.ProcessEnv): string {
  return path.resolve(env["SERVICE_CONFIG_DIR"] || path.join(homedir(), ".gantry"));
}
