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

/** Nothing where it cannot be listed. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Names that no text holds, so that nothing reaches what they stand for by a path: not UTF-8. */
export function foreignNames(folder: string): readonly Buffer[] {
  return readdirSync(folder, { encoding: "buffer" }).filter((name) => !isUtf8(name));
}

/** A folder without leave to list it may be entered all the same, and a run can give itself that leave. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    chmodSync(folder, (lstatSync(folder).mode & 0o7777) | 0o500);
    return readdirSync(folder, { withFileTypes: true });
  }
}
