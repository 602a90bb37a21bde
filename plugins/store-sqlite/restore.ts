import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { counted, errors as shared, type Audit, type CommandContext, type Runtime } from "@gantry/sdk";
import { ProcessLock, servingLock } from "@gantry/sdk/node";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";
import { layout } from "./layout.ts";

interface Kept {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

export interface RestoreNeeds {
  readonly runtime: Runtime;
  readonly audit: Audit;
  readonly db: Database;
}

/** Puts back what `gantry backup` wrote; what is in its place is moved aside, not removed. With --dry-run it only tells. */
export async function restore(run: CommandContext, needs: RestoreNeeds): Promise<number> {
  const { configDir } = needs.runtime;
  const file = path.resolve(run.args[0] ?? "");
  const { files, lines } = await readBackup(file, configDir);
  for (const line of lines) run.out(line);
  for (const each of files) {
    const change = await changeOf(path.join(configDir, each.path), each.bytes);
    if (change) run.out(`  ${change.padEnd(8)} ${each.path}`);
  }
  if (run.options["dryRun"] === true) return 0;
  const pid = await ProcessLock.holder(servingLock(configDir));
  if (pid !== undefined) throw shared.ALREADY_RUNNING(configDir, pid);
  if (run.options["yes"] !== true) throw errors.RESTORE_NOT_ACCEPTED();

  await needs.audit.record({
    event_type: "config_change",
    tool: "",
    args: { file },
    result: "restored from a backup",
    user: "owner",
    session_id: "",
  });
  await needs.db.close();
  const aside = path.join(configDir, `before-restore-${new Date().toISOString().replaceAll(":", "-")}`);
  await putBack(file, needs.db.path, files, configDir, aside);
  run.out(`Restored from ${file}; what was there is in ${aside}`);
  return 0;
}

async function changeOf(at: string, bytes: Uint8Array): Promise<string | undefined> {
  const now = await readFile(at).catch(() => undefined);
  if (!now) return "added";
  return now.equals(bytes) ? undefined : "replaced";
}

/** Everything is looked through before anything is changed. */
async function readBackup(
  file: string,
  configDir: string,
): Promise<{ readonly files: readonly Kept[]; readonly lines: readonly string[] }> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!existsSync(file)) throw errors.BACKUP_UNREADABLE(file, "it is not there");
  const from = new DatabaseSync(file, { readOnly: true });
  try {
    const [check] = from.prepare("PRAGMA quick_check(1)").all() as [{ quick_check: string }];
    if (check.quick_check !== "ok") throw errors.BACKUP_UNREADABLE(file, check.quick_check);
    const { user_version: found } = from.prepare("PRAGMA user_version").get() as { user_version: number };
    if (found > layout.length) throw shared.STORE_NEWER(file, found, layout.length);
    const files = from.prepare("SELECT path, mode, bytes FROM backup_files").all() as unknown as Kept[];
    const wrong = wrongNameOf(files, configDir);
    if (wrong !== undefined) throw errors.BACKUP_UNREADABLE(file, wrong);
    return { files, lines: [headline(from), `  ${files.length} files`] };
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    throw errcode === undefined ? error : errors.BACKUP_UNREADABLE(file, message);
  } finally {
    from.close();
  }
}

/** Why these files cannot all be put back; undefined where they can. */
function wrongNameOf(files: readonly Kept[], configDir: string): string | undefined {
  const names = new Set(files.map((each) => each.path));
  for (const name of names) {
    if (typeof name !== "string" || name !== path.normalize(name) || name.includes("\0"))
      return `it names ${JSON.stringify(name)}, which is no path as a backup writes it`;
    if (!path.join(configDir, name).startsWith(configDir + path.sep))
      return `it names ${name}, which lies elsewhere`;
    const within = name
      .split(path.sep)
      .findIndex((_, i, all) => i > 0 && names.has(all.slice(0, i).join("/")));
    if (within > 0) return `it names ${name}, which lies within another file`;
  }
  return files.every(({ bytes }) => bytes instanceof Uint8Array) ? undefined : "what it holds is no file";
}

function headline(from: DatabaseSync): string {
  const info = from.prepare("SELECT key, value FROM backup_info").all() as { key: string; value: string }[];
  const value = (key: string): string => info.find((row) => row.key === key)?.value ?? "?";
  const rows = (table: string): number =>
    (from.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  const talks = counted(rows("sessions"), "conversation");
  const facts = counted(rows("memory"), "memory", "memories");
  const kept = `${talks}, ${facts}, ${counted(rows("inbox"), "message")} from channels`;
  return `Of ${value("created")}, by version ${value("version")}: ${kept}`;
}

async function putBack(
  file: string,
  database: string,
  files: readonly Kept[],
  configDir: string,
  aside: string,
): Promise<void> {
  const moveAside = async (at: string): Promise<void> => {
    if (!existsSync(at)) return;
    const to = path.join(aside, path.relative(configDir, at));
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await rename(at, to);
  };
  const draft = `${database}.restore.tmp`;
  mkdirSync(path.dirname(database), { recursive: true, mode: 0o700 });
  copyFileSync(file, draft);
  const { DatabaseSync } = await import("node:sqlite");
  const store = new DatabaseSync(draft);
  store.exec("DROP TABLE backup_files; DROP TABLE backup_info; VACUUM");
  store.close();
  for (const at of [database, `${database}-wal`, `${database}-shm`]) await moveAside(at);
  renameSync(draft, database);
  for (const { path: inside, mode, bytes } of files) {
    const at = path.join(configDir, inside);
    await moveAside(at);
    await mkdir(path.dirname(at), { recursive: true, mode: 0o700 });
    await writeFile(at, bytes, { mode });
  }
}
