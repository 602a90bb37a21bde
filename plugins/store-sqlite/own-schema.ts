import type { DatabaseSync } from "node:sqlite";
import { errors as shared } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { layout } from "./layout.ts";

export function layoutNumber(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()!["user_version"]);
}

/**
 * Returns the layout of a store that is to be put back. `more` is the SQL of what the file has
 * beside its layout. Throws `STORE_NEWER`, `BACKUP_FOREIGN`, `BACKUP_UNREADABLE` and what SQLite
 * throws.
 */
export async function layoutOf(from: DatabaseSync, file: string, more: string): Promise<number> {
  const found = layoutNumber(from);
  if (found > layout.length) throw shared.STORE_NEWER(file, found, layout.length, "");
  if (found < 1) throw errors.BACKUP_UNREADABLE(file, "it has no layout");
  // Before anything is read from it: a view or a check of the file's own would run.
  await compare(from, file, found, more);
  const [check] = from.prepare("PRAGMA quick_check(1)").all() as [{ quick_check: string }];
  if (check.quick_check !== "ok") throw errors.BACKUP_UNREADABLE(file, check.quick_check);
  return found;
}

/** A trigger, view or changed column would go on working in the store, unseen. */
async function compare(db: DatabaseSync, file: string, found: number, more: string): Promise<void> {
  const { DatabaseSync: Fresh } = await import("node:sqlite");
  const fresh = new Fresh(":memory:");
  try {
    for (const step of [...layout.slice(0, found), more]) fresh.exec(step);
    const missing = new Map(schemaOf(fresh).map((row) => [JSON.stringify(row), row]));
    for (const row of schemaOf(db)) {
      const isOwn = missing.delete(JSON.stringify(row));
      if (!isOwn) throw errors.BACKUP_FOREIGN(file, nameOf(row), found);
    }
    const [first] = missing.values();
    if (first) throw errors.BACKUP_UNREADABLE(file, `${nameOf(first)} is missing`);
  } finally {
    fresh.close();
  }
}

type SchemaRow = Readonly<Record<"type" | "name" | "tbl_name" | "sql", unknown>>;

function schemaOf(db: DatabaseSync): readonly SchemaRow[] {
  const text = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
  return db.prepare(text).all() as unknown as SchemaRow[];
}

function nameOf({ type, name }: SchemaRow): string {
  return `the ${String(type)} ${String(name)}`;
}
