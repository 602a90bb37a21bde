import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { pluginLockFile, type PluginLock } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** In one step; names in order, so that two versions of the file can be compared. */
export async function writeLock(configDir: string, table: PluginLock): Promise<void> {
  const file = pluginLockFile(configDir);
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  const sorted = Object.fromEntries(Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  try {
    const handle = await open(temporary, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify(sorted, undefined, 2)}\n`);
    await handle.sync().finally(() => handle.close());
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw errors.PLUGINS_UNWRITABLE(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
