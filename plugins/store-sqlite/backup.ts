import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { CommandContext, Runtime } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";

/** Files that are made again, belong to a process, or are not the service's. */
const left = new RegExp(
  [
    String.raw`(?:^|\/)(?:cache|before-restore-[^/]*)\/`,
    String.raw`(?:\.tmp(?:-\w+)?|\.lock)$`,
    String.raw`(?:^|\/)gantry-[\dTZtz-]+\.backup$`,
    String.raw`^state\/(?:gantry\.db|serving\.lock|running\.json|runs\/)`,
  ].join("|"),
);

/** Returns true if a backup never holds this path, which starts at the configuration directory. */
export function isLeftOut(inside: string): boolean {
  return left.test(inside);
}

/** Returns true for what a run made, also if it was refused. Earlier releases backed it up. */
export function isOfRun(inside: string): boolean {
  return inside.startsWith("state/views/");
}

/** The tables that a backup has beside the store. */
export const backupTables = `
  CREATE TABLE backup_info (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE backup_files (path TEXT PRIMARY KEY, mode INTEGER NOT NULL, bytes BLOB NOT NULL)
    STRICT`;

/**
 * One file with everything: the store as it is at one moment, beside the running service, and in a
 * table of its own the files of the configuration directory. Closed to others, since keys are among
 * them.
 */
export async function backup(
  { args: [given = ""], out }: CommandContext,
  runtime: Runtime,
  db: Database,
): Promise<number> {
  const file = path.resolve(given);
  if (await lstat(file).catch(() => undefined)) throw errors.BACKUP_EXISTS(file);
  const draft = `${file}.${process.pid}.tmp`;
  const count = await writeBackup(draft, runtime, db, file);
  try {
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  out(`Wrote ${file}: the store and ${count} file${count === 1 ? "" : "s"}`);
  return 0;
}

/**
 * Writes the new file `draft`, which is on disk when it resolves, and is gone if it throws; `file`
 * is its name in the end. Returns the number of files in it.
 */
export async function writeBackup(
  draft: string,
  runtime: Runtime,
  db: Database,
  file: string = draft,
): Promise<number> {
  const held = openNew(draft, file);
  try {
    await db.read((sql) => sql.run("VACUUM INTO ?", draft));
    const count = await addFiles(draft, runtime, file);
    fsyncSync(held);
    return count;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(held);
  }
}

function openNew(draft: string, file: string): number {
  try {
    return openSync(draft, "wx", 0o600);
  } catch (error) {
    throw errors.BACKUP_UNWRITABLE(file, (error as NodeJS.ErrnoException).code ?? error);
  }
}

async function addFiles(draft: string, runtime: Runtime, file: string): Promise<number> {
  const { DatabaseSync } = await import("node:sqlite");
  const to = new DatabaseSync(draft);
  try {
    to.exec(`BEGIN; ${backupTables}`);
    const info = to.prepare("INSERT INTO backup_info VALUES (?, ?)");
    info.run("created", new Date().toISOString());
    info.run("version", runtime.version);
    const insert = to.prepare("INSERT INTO backup_files VALUES (?, ?, ?)");
    let count = 0;
    for await (const at of filesOf(runtime, file)) {
      const found = await lstat(at).catch(() => undefined);
      if (!found?.isFile()) continue;
      insert.run(path.relative(runtime.configDir, at), found.mode & 0o777, await readFile(at));
      count += 1;
    }
    to.exec("COMMIT");
    return count;
  } finally {
    to.close();
  }
}

/**
 * The files of the configuration directory but for those of the workspace, which are the person's
 * own.
 */
async function* filesOf({ configDir, workspace }: Runtime, file: string): AsyncGenerator<string> {
  const entries = await readdir(configDir, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const at = path.join(entry.parentPath, entry.name);
    const inside = path.relative(configDir, at);
    const isOwn = at !== file && !at.startsWith(workspace + path.sep) && !isOfRun(inside);
    if (entry.isFile() && isOwn && !isLeftOut(inside)) yield at;
  }
}
