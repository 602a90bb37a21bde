import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";
import { readStated, type StatedFacts } from "./facts.ts";

/** One installed plugin: exactly this version with exactly these bytes, and what was accepted of it. */
export interface Locked extends StatedFacts {
  readonly version: string;
  /** `sha512-<base64>` of the tarball. */
  readonly integrity: string;
  /** Where it came from. */
  readonly from: string;
}
export type LockTable = Readonly<Record<string, Locked>>;

export function lockFileOf(configDir: string): string {
  return path.join(configDir, "plugins.lock.json");
}

/** Empty where there is no file; throws `PLUGINS_LOCK` where it cannot be read. */
export async function readLock(configDir: string): Promise<LockTable> {
  const file = lockFileOf(configDir);
  try {
    const table = JSON.parse(await readFile(file, "utf8")) as Record<string, Locked>;
    const right = Object.values(table).every(
      (row) => readStated(row) && typeof row.version === "string" && typeof row.integrity === "string",
    );
    if (!right) throw new Error("a row of it is not whole");
    return table;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw errors.PLUGINS_LOCK(file, error);
  }
}

/** In one step; names in order, so that two versions of the file can be compared. */
export async function writeLock(configDir: string, table: LockTable): Promise<void> {
  const file = lockFileOf(configDir);
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
