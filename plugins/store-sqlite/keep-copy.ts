import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, readSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Sql } from "./sql.ts";

/** The offset of the layout's number in the head of a file. */
const LAYOUT_AT = 60;

/** Returns the path at which the file stays as it was in an earlier layout. */
export function copyOf(path: string, layout: number): string {
  return `${path}.layout${layout}`;
}

/** Returns the layouts that the file stays in, ascending. */
export function keptLayouts(path: string): readonly number[] {
  const start = copyOf(basename(path), 0).slice(0, -1);
  let names: readonly string[] = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    // Before the first start there is no folder.
  }
  return names
    .filter((name) => name.startsWith(start) && /^[1-9]\d*$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .toSorted((a, b) => a - b);
}

/** Returns the newest layout that the file stays in and a release of `known` layouts can read. */
export function newestKept(path: string, known: number): number | undefined {
  return keptLayouts(path).findLast((each) => each <= known);
}

/** Returns how a release of `known` layouts gets its store back, as a sentence's end, or "". */
export function wayBack(path: string, known: number): string {
  const newest = newestKept(path, known);
  if (newest === undefined) return "";
  return `, or go back to the store kept before the upgrade: \`gantry restore --layout ${newest}\``;
}

/**
 * Keeps the whole file as it is in this layout, on disk before it returns, so that the earlier
 * release can be gone back to. Throws what SQLite and the disk say, and then leaves nothing.
 */
export function keepCopy(sql: Sql, path: string, layout: number): void {
  const draft = `${copyOf(path, layout)}.${randomBytes(6).toString("hex")}.tmp`;
  const file = openSync(draft, "wx+", 0o600);
  try {
    sql.run("VACUUM INTO ?", draft);
    // Another process may have brought the file forward meanwhile, and kept its copy.
    if (layoutIn(file) !== layout) return;
    fsyncSync(file);
    renameSync(draft, copyOf(path, layout));
    sync(dirname(path));
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/** Has a file, or the names in a folder, on disk before it returns. */
export function sync(at: string): void {
  const opened = openSync(at, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function layoutIn(file: number): number {
  const bytes = Buffer.alloc(4);
  readSync(file, bytes, 0, 4, LAYOUT_AT);
  return bytes.readUInt32BE();
}
