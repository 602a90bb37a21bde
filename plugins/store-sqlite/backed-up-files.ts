import { lstat, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errors as shared } from "@gantry/sdk";
import { makeDir } from "@gantry/sdk/node";
import { isLeftOut, isOfRun } from "./backup.ts";
import { errors } from "./errors.ts";
import { moveAside, refuseLinks, type Aside } from "./put-in-place.ts";

/** A file of the configuration directory, as a backup holds it. */
export interface BackedUp {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** Reads them all; throws if one of them cannot be put back, before anything is changed. */
export async function filesIn(
  from: DatabaseSync,
  file: string,
  configDir: string,
): Promise<readonly BackedUp[]> {
  const rows = from.prepare("SELECT path, mode, bytes FROM backup_files").all();
  const files = rows as unknown as readonly BackedUp[];
  const wrong = wrongNameOf(files, configDir);
  if (wrong !== undefined) throw errors.BACKUP_UNREADABLE(file, wrong);
  const kept = files.filter((each) => !isOfRun(each.path));
  for (const each of kept) await refuseLinks(configDir, path.join(configDir, each.path));
  return kept;
}

/** Returns a line for each file that putting it back would add or replace. */
export async function changesOf(files: readonly BackedUp[], configDir: string): Promise<string[]> {
  const lines: string[] = [];
  for (const each of files) {
    const change = await changeOf(path.join(configDir, each.path), each.bytes);
    if (change) lines.push(`  ${change.padEnd(8)} ${each.path}`);
  }
  return lines;
}

/** Writes them for their owner alone. Moves aside what has such a name, a link itself too. */
export async function writeFiles(files: readonly BackedUp[], aside: Aside): Promise<void> {
  for (const { path: inside, mode, bytes } of files) {
    const at = path.join(aside.configDir, inside);
    await refuseLinks(aside.configDir, at);
    await moveAside(at, aside);
    try {
      makeDir(path.dirname(at));
      await writeFile(at, bytes, { mode: mode & 0o600, flag: "wx" });
    } catch (error) {
      throw shared.FILE_FAILED(at, "written", (error as NodeJS.ErrnoException).code ?? error);
    }
  }
}

async function changeOf(at: string, bytes: Uint8Array): Promise<string | undefined> {
  const found = await lstat(at).catch(() => undefined);
  if (!found) return "added";
  const isSame = found.isFile() && (await readFile(at)).equals(bytes);
  return isSame ? undefined : "replaced";
}

/** Returns why these files cannot all be put back; undefined if they can. */
function wrongNameOf(files: readonly BackedUp[], configDir: string): string | undefined {
  const names = new Set(files.map((each) => each.path));
  for (const name of names) {
    if (typeof name !== "string" || name !== path.normalize(name) || name.includes("\0"))
      return `it names ${JSON.stringify(name)}, which is no path as a backup writes it`;
    if (!path.join(configDir, name).startsWith(configDir + path.sep))
      return `it names ${name}, which lies elsewhere`;
    // Some disks do not tell upper case from lower case.
    if (isLeftOut(name) || isLeftOut(name.toLowerCase()))
      return `it names ${name}, which belongs to the store or to a process and is in no backup`;
    const within = name
      .split(path.sep)
      .findIndex((_, i, all) => i > 0 && names.has(all.slice(0, i).join("/")));
    if (within > 0) return `it names ${name}, which lies within another file`;
  }
  const areBytes = files.every(({ bytes }) => bytes instanceof Uint8Array);
  return areBytes ? undefined : "what it holds is not a file";
}
