import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import path from "node:path";

/** Larger workspaces are searched as far as this, the upper folders first. */
const MAX_ENTRIES = 20_000;
/** Folders of what others made, which no owner puts secrets into. */
const SKIPPED = new Set([".git", "node_modules"]);

/**
 * The files beneath a folder, by their paths from there, that `wanted` takes; links are not
 * followed. Never throws.
 */
export async function findFiles(
  root: string,
  wanted: (relative: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  let left = MAX_ENTRIES;
  for (const folder of folders) {
    for await (const entry of entriesOf(path.join(root, folder))) {
      if (left-- === 0) return found;
      const relative = path.join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(relative);
      if (entry.isFile() && wanted(relative)) found.push(relative);
    }
  }
  return found;
}

/**
 * One after the other: a folder may hold more than memory does. What cannot be read is passed over.
 */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: 256 });
  } catch {
    // It has gone, or is closed to this user.
  }
}
