import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { errors } from "../contract/codes.ts";

/** The requests of a plugin, by the names of slots, hooks and keys. */
export interface StatedManifest {
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
  /** Absent in locks and packages of earlier releases: none. */
  readonly enforces?: readonly string[];
}

/**
 * One installed package: exactly this version with exactly these bytes, and the manifest that was
 * accepted.
 */
export interface LockedPackage extends StatedManifest {
  readonly version: string;
  /** `sha512-<base64>` of the tarball. */
  readonly integrity: string;
  /** The path of the tarball that it came from, or its address. */
  readonly from: string;
  /** SHA-256 of every file in hexadecimal, by its path inside the package. */
  readonly files: Readonly<Record<string, string>>;
}
export type PluginLock = Readonly<Record<string, LockedPackage>>;

export function pluginLockFile(configDir: string): string {
  return path.join(configDir, "plugins.lock.json");
}

/** Returns an empty lock if there is no file; throws `PLUGINS_LOCK` if it cannot be read. */
export async function readPluginLock(configDir: string): Promise<PluginLock> {
  const file = pluginLockFile(configDir);
  try {
    const table = JSON.parse(await readFile(file, "utf8")) as PluginLock;
    if (!Object.values(table).every(isWhole)) throw new Error("a row of it is not whole");
    return table;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw errors.PLUGINS_LOCK(file, error);
  }
}

function isWhole(row: LockedPackage): boolean {
  const lists: readonly unknown[] = [row.needs, row.provides, row.taps, row.enforces ?? []];
  const texts: readonly unknown[] = [row.version, row.integrity, row.from];
  return (
    lists.every(Array.isArray) &&
    texts.every((text) => typeof text === "string") &&
    typeof row.files === "object" &&
    row.files !== null
  );
}

export function fileHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Returns the hash of every file of a folder, by its path inside; `link` for an entry that is
 * neither file nor folder. Empty if there is none.
 */
export async function folderHashes(folder: string): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const inside = path.relative(folder, file).split(path.sep).join("/");
    hashes.set(inside, entry.isFile() ? fileHash(await readFile(file)) : "link");
  }
  return hashes;
}

/**
 * Files that were added, removed and changed between two sets of hashes, in order of their names.
 */
export function changedFiles(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly { readonly file: string; readonly change: "added" | "removed" | "changed" }[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  return names
    .filter((file) => before.get(file) !== now.get(file))
    .map((file) => {
      if (!before.has(file)) return { file, change: "added" };
      return { file, change: now.has(file) ? "changed" : "removed" };
    });
}

/**
 * Returns the difference of one manifest from another, as in "needs net"; undefined if they name
 * the same.
 */
export function manifestDifference(stated: StatedManifest, real: StatedManifest): string | undefined {
  const differences = (["needs", "provides", "taps", "enforces"] as const).flatMap((key) => {
    const [one = [], other = []] = [stated[key], real[key]];
    return sorted(one) === sorted(other) ? [] : [`${key} ${one.join(", ") || "nothing"}`];
  });
  return differences.length === 0 ? undefined : differences.join(" and ");
}

function sorted(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(" ");
}
