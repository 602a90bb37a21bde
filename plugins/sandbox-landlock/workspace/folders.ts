import { isUtf8 } from "node:buffer";
import { type Dirent, accessSync, chmodSync, constants, lstatSync, readdirSync } from "node:fs";

export function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns no names if the folder cannot be listed. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns names that are not UTF-8: no text holds them, so no path reaches their files. */
export function foreignNames(folder: string): readonly Buffer[] {
  return readdirSync(folder, { encoding: "buffer" }).filter((name) => !isUtf8(name));
}

/**
 * Returns the entries of a folder. One that is closed to its owner is opened all the same, since a
 * run can give itself that leave.
 */
export function entriesOf(folder: string): readonly Dirent[] {
  if (!mayEnter(folder)) openOwn(folder);
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    openOwn(folder);
    return readdirSync(folder, { withFileTypes: true });
  }
}

/** Opens a folder to its owner; somebody else's stays as it is. */
function openOwn(folder: string): void {
  const about = lstatSync(folder);
  if (about.uid === process.geteuid?.()) chmodSync(folder, (about.mode & 0o7777) | 0o500);
}

/** Returns a path and the folders around it, within the workspace. */
export function prefixes(at: string): readonly string[] {
  const names = at.split("/").filter(Boolean);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}
