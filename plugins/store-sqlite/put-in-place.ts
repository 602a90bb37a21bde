import { closeSync, constants, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { GantryError, errors as shared } from "@gantry/sdk";
import { makeDir } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { newestKept, sync } from "./keep-copy.ts";

/**
 * The files that SQLite may have beside a file, which belong to that file alone. The file goes
 * first.
 */
const parts = ["", "-journal", "-wal", "-shm"];
const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC } = constants;

/** A restore under way: where it puts what is there now. */
export interface Aside {
  readonly configDir: string;
  readonly folder: string;
}

/**
 * Returns the name of the folder that a restore moves the store into, if it has moved the file and
 * put no other in its place: it works on, or was ended by force. Else returns undefined.
 */
export function unfinishedRestore(database: string): string | undefined {
  if (existsSync(database)) return undefined;
  return drafts(database)[0];
}

/** Returns the error that names the word to run again, in a release that knows so many layouts. */
export function unfinished(database: string, aside: string, known: number): GantryError {
  const kept = newestKept(database, known);
  const what = kept === undefined ? "FILE" : `--layout ${kept}`;
  const folder = path.join(path.dirname(path.dirname(database)), aside);
  return errors.RESTORE_UNFINISHED(database, `gantry restore ${what} --yes`, folder);
}

/** Names the folder for what is there now: that of an unfinished restore, if there is one. */
export function asideOf(database: string, configDir: string): Aside {
  const now = new Date().toISOString().replaceAll(":", "-");
  const name = unfinishedRestore(database) ?? `before-restore-${now}`;
  return { configDir, folder: path.join(configDir, name) };
}

/**
 * Puts the store that `write` makes in an empty file into place, on disk before it returns; the one
 * that is there is moved aside whole. At no moment is a file beside the log of another one: the new
 * one waits under a name that tells {@link unfinishedRestore} where the old one goes, until all of
 * that is moved. Throws `FILE_FAILED` and `STORE_FAILED`.
 */
export async function putInPlace(
  database: string,
  aside: Aside,
  write: (draft: string) => void,
): Promise<void> {
  const name = path.basename(aside.folder);
  const draft = draftOf(database, name);
  try {
    makeDir(path.dirname(database));
    for (const other of drafts(database)) if (other !== name) rmSync(draftOf(database, other));
    closeSync(openSync(draft, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600));
    write(draft);
    sync(draft);
    sync(path.dirname(draft));
    for (const part of parts) await moveAside(database + part, aside);
    renameSync(draft, database);
    sync(path.dirname(database));
  } catch (error) {
    if (existsSync(database)) rmSync(draft, { force: true });
    throw error instanceof GantryError ? error : shared.STORE_FAILED(database, error);
  }
}

/** Moves a file, a folder or a link itself, on disk before it returns. Throws `FILE_FAILED`. */
export async function moveAside(at: string, { configDir, folder }: Aside): Promise<void> {
  if (!(await lstat(at).catch(() => undefined))) return;
  const to = path.join(folder, path.relative(configDir, at));
  try {
    makeDir(path.dirname(to));
    renameSync(at, to);
    for (let made = path.dirname(to); made !== configDir; made = path.dirname(made)) sync(made);
    sync(configDir);
    sync(path.dirname(at));
  } catch (error) {
    throw shared.FILE_FAILED(at, `moved to ${to}`, (error as NodeJS.ErrnoException).code ?? error);
  }
}

/** Throws `RESTORE_NO_FOLDER` if the way to a file leads through a link, or through a file. */
export async function refuseLinks(configDir: string, at: string): Promise<void> {
  const names = path.relative(configDir, path.dirname(at)).split(path.sep).filter(Boolean);
  for (let folder = configDir; names.length > 0;) {
    folder = path.join(folder, names.shift()!);
    const found = await lstat(folder).catch(() => undefined);
    if (!found) return;
    if (!found.isDirectory()) throw errors.RESTORE_NO_FOLDER(folder, at);
  }
}

function draftOf(database: string, aside: string): string {
  return `${database}.${aside}.tmp`;
}

/** Returns the names of the folders that restores were to move this store into. */
function drafts(database: string): readonly string[] {
  const [start, end] = [`${path.basename(database)}.`, ".tmp"];
  const folder = path.dirname(database);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(`${start}before-restore-`) && name.endsWith(end))
    .map((name) => name.slice(start.length, -end.length));
}
