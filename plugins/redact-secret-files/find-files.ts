import { readdir } from "node:fs/promises";
import path from "node:path";

/** Larger workspaces are searched as far as this, the upper folders first. */
const MAX_ENTRIES = 20_000;
/** Folders of what others made, which no owner puts secrets into. */
const SKIPPED = new Set([".git", "node_modules"]);

/** The files beneath a folder, by their paths from there, that `wanted` takes; links are not followed. Never throws. */
export async function findFiles(
  root: string,
  wanted: (relative: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  let seen = 0;
  for (const folder of folders) {
    if (seen >= MAX_ENTRIES) break;
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    for (const entry of entries) {
      const relative = path.join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(relative);
      if (entry.isFile() && wanted(relative)) found.push(relative);
    }
  }
  return found;
}
