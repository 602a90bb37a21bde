import { pluginLockFile, replaceFile, type PluginLock } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** In one step; names in order, so that two versions of the file can be compared. */
export async function writeLock(configDir: string, table: PluginLock): Promise<void> {
  const file = pluginLockFile(configDir);
  const sorted = Object.fromEntries(Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  try {
    await replaceFile(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
  } catch (error) {
    throw errors.PLUGINS_UNWRITABLE(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
