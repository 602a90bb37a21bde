import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { errors } from "@gantry/sdk";

/** Whoever belongs to the group, and everybody else. */
const writableByOthers = 0o022;

/**
 * Throws `CONFIG_UNSAFE` where somebody else could have written the configuration: the file names who gets the keys and what
 * is allowed. What root owns is trusted, and what is not there is nobody's.
 */
export async function refuseUnsafe(configDir: string, configFile: string): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const file = await realpath(configFile).catch(() => configFile);
  for (const at of new Set([configDir, path.dirname(file), file])) {
    const found = await stat(at).catch(() => undefined);
    if (!found) continue;
    if (found.uid !== 0 && found.uid !== uid)
      throw errors.CONFIG_UNSAFE(at, "it belongs to another user", `chown ${uid} ${at}`);
    if ((found.mode & writableByOthers) !== 0)
      throw errors.CONFIG_UNSAFE(at, "other users may write it", `chmod go-w ${at}`);
  }
}
