import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errors as shared } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { keepCopy, wayBack } from "./keep-copy.ts";
import { layout } from "./layout.ts";
import { Sql } from "./sql.ts";

/** The time that a writer waits for another process on the same file. */
const BUSY_MS = 5000;
/**
 * Pages of the log that are gathered before they are moved into the file, which blocks: many of
 * them are the same page again.
 */
const LOG_PAGES = 4000;

/** Returns the other process that serves from the file; undefined if there is none. */
export type HeldBy = () => Promise<number | undefined>;

/**
 * Opens the file, made if it is missing and brought to the newest layout, but not while another
 * process serves from it. Throws what SQLite throws, `STORE_NEWER`, `STORE_HELD`,
 * `STORE_WITHOUT_FILE` and `RESTORE_UNFINISHED`.
 */
export async function openFile(
  path: string,
  steps: readonly string[] = layout,
  heldBy: HeldBy = async () => undefined,
): Promise<Sql> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) await refuseUnfinished(path, steps.length);
  refuseLog(path);
  makePrivate(path);
  const { DatabaseSync } = await import("node:sqlite");
  const sql = new Sql(new DatabaseSync(path, { timeout: BUSY_MS }));
  try {
    sql.script(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};
       PRAGMA secure_delete = ON`,
    );
    await upgrade(sql, path, steps, heldBy);
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** Only a store that is missing may be on its way. */
async function refuseUnfinished(path: string, known: number): Promise<void> {
  const { unfinished, unfinishedRestore } = await import("./put-in-place.ts");
  const aside = unfinishedRestore(path);
  if (aside !== undefined) throw unfinished(path, aside, known);
}

/** SQLite removes the log of a file without pages, and with it the only copy of what it holds. */
function refuseLog(path: string): void {
  // The file has pages before another process makes a log, so the log is looked for first.
  if (!existsSync(`${path}-wal`) && !existsSync(`${path}-shm`)) return;
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size === 0) throw errors.STORE_WITHOUT_FILE(path);
}

/**
 * SQLite gives the files beside it the same mode. An existing file is not opened here: closing it
 * would drop SQLite's locks.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (statSync(path).mode & 0o077) chmodSync(path, 0o600);
  }
}

async function upgrade(sql: Sql, path: string, steps: readonly string[], heldBy: HeldBy): Promise<void> {
  const known = steps.length;
  const found = version(sql, path, known);
  if (found === known) return;
  if (found > 0) {
    await refuseHeld(path, found, heldBy);
    keepCopy(sql, path, found);
    // The copy of a large store takes long enough for a service to start.
    await refuseHeld(path, found, heldBy);
  }
  sql.transaction(() => {
    for (const step of steps.slice(version(sql, path, known))) sql.script(step);
    sql.script(`PRAGMA user_version = ${known}`);
  });
}

async function refuseHeld(path: string, found: number, heldBy: HeldBy): Promise<void> {
  const pid = await heldBy();
  if (pid !== undefined) throw shared.STORE_HELD(path, found, pid);
}

function version(sql: Sql, path: string, known: number): number {
  const { user_version: found } = sql.get<{ user_version: number }>("PRAGMA user_version")!;
  if (found > known) throw shared.STORE_NEWER(path, found, known, wayBack(path, known));
  return found;
}
