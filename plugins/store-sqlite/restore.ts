import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { counted, GantryError } from "@gantry/sdk";
import type { Audit, CommandContext, Runtime } from "@gantry/sdk";
import { takeServingLock } from "@gantry/sdk/node";
import { changesOf, filesIn, writeFiles, type BackedUp } from "./backed-up-files.ts";
import { backupTables } from "./backup.ts";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";
import { copyOf, keptLayouts } from "./keep-copy.ts";
import { layout } from "./layout.ts";
import { layoutNumber, layoutOf } from "./own-schema.ts";
import { asideOf, putInPlace, refuseLinks, unfinished, unfinishedRestore } from "./put-in-place.ts";
import { withPlain, type Source } from "./unsealed.ts";

export interface RestoreNeeds {
  readonly runtime: Runtime;
  readonly audit: Audit;
  readonly db: Database;
}

/** A file that was looked at, and what putting it back would do. */
interface Found {
  readonly result: string;
  readonly lines: readonly string[];
  readonly files: readonly BackedUp[];
}

/**
 * Puts back what `gantry backup` wrote, the store that was kept before an upgrade, or the one that
 * a restore has moved aside. Moves aside what is in its place. Looks at everything before it
 * changes anything.
 */
export async function restore(run: CommandContext, needs: RestoreNeeds): Promise<number> {
  const source = sourceOf(run.args[0], run.options["layout"], needs.db.path);
  const from = (plain: string): Promise<number> => restoreFrom(source, plain, run, needs);
  return withPlain(source, needs.runtime.configDir, from);
}

/** Reads `plain` in place of the file that the person named, if that one is encrypted. */
async function restoreFrom(
  { file, kind }: Source,
  plain: string,
  run: CommandContext,
  needs: RestoreNeeds,
): Promise<number> {
  const { configDir } = needs.runtime;
  const found = await opened(file, plain, async (from) => {
    await refuseLinks(configDir, needs.db.path);
    if (kind === "backup") return lookAtBackup(from, file, configDir);
    if (kind === "aside") return lookAtAside(from, file, needs.db.path);
    return lookAtKept(from, file, needs.db.path);
  });
  for (const line of found.lines) run.out(line);
  if (run.options["dryRun"] === true) return 0;
  if (run.options["yes"] !== true) throw errors.RESTORE_NOT_ACCEPTED();
  // A service manager must not start a service in the middle.
  const lock = await takeServingLock(configDir, errors.RESTORE_UNWRITABLE);
  try {
    const folder = await putBack({ file, plain }, found, needs);
    run.out(`Restored from ${file}; what was there is in ${folder}${await wayForward(folder)}`);
  } finally {
    await lock.release();
  }
  return 0;
}

/** Throws `RESTORE_WHAT` and `LAYOUT_NOT_KEPT`, which name the layouts that are kept. */
function sourceOf(given: string | undefined, kept: unknown, database: string): Source {
  const layouts = keptLayouts(database);
  const all = `layouts kept here: ${layouts.join(", ")}`;
  const there = layouts.length > 0 ? all : "none is kept here";
  if ((given === undefined) === (kept === undefined)) throw errors.RESTORE_WHAT(there);
  if (given !== undefined) {
    const file = path.resolve(given);
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder) return { file, kind: "backup" };
    const aside = unfinishedRestore(database);
    // The log of its store may not have been moved there yet.
    if (path.basename(realpathSync(file)) === aside) throw unfinished(database, aside, layout.length);
    return { file: storeIn(file), kind: "aside" };
  }
  const wanted = layouts.find((each) => String(each) === kept);
  if (wanted === undefined) throw errors.LAYOUT_NOT_KEPT(kept, there);
  return { file: copyOf(database, wanted), kind: "kept" };
}

/** Returns where the store lies in a configuration directory, or in a folder of what was one. */
function storeIn(folder: string): string {
  return path.join(folder, "state", "gantry.db");
}

/** Returns the word that brings back what was moved into a folder, as a sentence's end, or "". */
async function wayForward(folder: string): Promise<string> {
  const word = `: \`gantry restore ${folder} --yes\` brings that store back`;
  try {
    const found = await opened(storeIn(folder), storeIn(folder), async (from) => layoutNumber(from));
    return found > layout.length ? `${word}, with the release of layout ${found}` : word;
  } catch {
    return "";
  }
}

/** Opens a file to read it. Throws `BACKUP_UNREADABLE` for what SQLite and the disk say of it. */
async function opened<T>(file: string, plain: string, use: (from: DatabaseSync) => Promise<T>): Promise<T> {
  if (!existsSync(file)) throw errors.BACKUP_UNREADABLE(file, "it is not there");
  const { DatabaseSync } = await import("node:sqlite");
  let from: DatabaseSync | undefined;
  try {
    from = new DatabaseSync(plain, { readOnly: true });
    return await use(from);
  } catch (error) {
    if (error instanceof GantryError) throw error;
    throw errors.BACKUP_UNREADABLE(file, (error as Error).message);
  } finally {
    from?.close();
  }
}

async function lookAtBackup(from: DatabaseSync, file: string, configDir: string): Promise<Found> {
  await layoutOf(from, file, backupTables);
  const files = await filesIn(from, file, configDir);
  const info = from.prepare("SELECT value FROM backup_info WHERE key = ?");
  const value = (key: string): string => String(info.get(key)?.["value"] ?? "?");
  const headline = `Of ${value("created")}, by version ${value("version")}: ${holdings(from)}`;
  const lines = [headline, `  ${files.length} files`, ...(await changesOf(files, configDir))];
  return { result: "restored from a backup", lines, files };
}

async function lookAtKept(from: DatabaseSync, file: string, database: string): Promise<Found> {
  const found = await layoutOf(from, file, "");
  const isNamed = copyOf(database, found) === file;
  if (!isNamed) throw errors.BACKUP_UNREADABLE(file, `the layout in it is ${found}`);
  const kept = statSync(file).mtime.toISOString();
  const lines = [
    `Kept ${kept}, before an upgrade from layout ${found}: ${holdings(from)}`,
    `  What came since goes out of use: ${await cameSince(from, database)}`,
  ];
  if (found < layout.length)
    lines.push(
      `  This release would bring it to layout ${layout.length} again: ` +
        `install the release of layout ${found} before you start it.`,
    );
  return { result: "restored as it was before an upgrade", lines, files: [] };
}

async function lookAtAside(from: DatabaseSync, file: string, database: string): Promise<Found> {
  const found = await layoutOf(from, file, "");
  const lines = [
    `Moved aside by a restore, in layout ${found}: ${holdings(from)}`,
    `  What is there now goes out of use: ${await countIn(database, holdings)}`,
  ];
  return { result: "restored as it was before a restore", lines, files: [] };
}

/** Conversations, memories and messages are counted by what numbers them. */
const numbered = [
  { table: "turns", count: "count(DISTINCT session)", number: "id" },
  { table: "memory", count: "count(*)", number: "id" },
  { table: "inbox", count: "count(*)", number: "seq" },
] as const;

function holdings(from: DatabaseSync): string {
  const rows = (table: string): number => one(from, `SELECT count(*) AS n FROM ${table}`);
  return told(rows("sessions"), rows("memory"), rows("inbox"));
}

/** Counts what the store has that the kept one had not. */
function cameSince(from: DatabaseSync, database: string): Promise<string> {
  return countIn(database, (store) => {
    const [talks = 0, facts = 0, messages = 0] = numbered.map(({ table, count, number }) => {
      const last = one(from, `SELECT ifnull(max(${number}), 0) AS n FROM ${table}`);
      return one(store, `SELECT ${count} AS n FROM ${table} WHERE ${number} > ${last}`);
    });
    return told(talks, facts, messages);
  });
}

/** Counts in the store that is there; one of a newer layout, or a damaged one, may fail to. */
async function countIn(database: string, count: (store: DatabaseSync) => string): Promise<string> {
  const { DatabaseSync } = await import("node:sqlite");
  let store: DatabaseSync | undefined;
  try {
    store = new DatabaseSync(database, { readOnly: true });
    return count(store);
  } catch (error) {
    return `it cannot be counted (${(error as Error).message})`;
  } finally {
    store?.close();
  }
}

function one(db: DatabaseSync, text: string): number {
  return (db.prepare(text).get() as { n: number }).n;
}

function told(talks: number, facts: number, messages: number): string {
  const [talked, known] = [counted(talks, "conversation"), counted(facts, "memory", "memories")];
  return `${talked}, ${known}, ${counted(messages, "message")} from channels`;
}

/** Returns the folder with what was there. */
async function putBack(
  { file, plain }: { readonly file: string; readonly plain: string },
  { result, files }: Found,
  { runtime, audit, db }: RestoreNeeds,
): Promise<string> {
  await audit.record({
    event_type: "config_change",
    tool: "",
    args: { file },
    result,
    user: "owner",
    session_id: "",
  });
  await db.close();
  const aside = asideOf(db.path, runtime.configDir);
  const { DatabaseSync } = await import("node:sqlite");
  await putInPlace(db.path, aside, (draft) => {
    const from = new DatabaseSync(plain, { readOnly: true });
    from.prepare("VACUUM INTO ?").run(draft);
    from.close();
    const store = new DatabaseSync(draft);
    store.exec("DROP TABLE IF EXISTS backup_files; DROP TABLE IF EXISTS backup_info; VACUUM");
    store.close();
  });
  await writeFiles(files, aside);
  return aside.folder;
}
