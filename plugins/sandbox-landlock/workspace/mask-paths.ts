import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";

/** What lies over a secret file or folder. */
export const EMPTY_FILE = "/.empty";
export const EMPTY_FOLDER = "/.empty-folder";

/** True for masks, and for what else exists in this process' view alone. */
export function isOfView(at: string): boolean {
  return deviceOf(at) === deviceOf("/");
}

/** Where a file of the workspace leads, if it stays there: what lies outside is closed, or granted by its own name. */
export function targetOf(root: string, relative: string): readonly string[] {
  const at = path.join(root, relative);
  try {
    const real = lstatSync(at).isSymbolicLink() ? realpathSync(at) : at;
    return isInside(real, root) ? [real] : [];
  } catch {
    return [];
  }
}

const deviceOf = (at: string): number | undefined => lstatSync(at, { throwIfNoEntry: false })?.dev;

/** A path and every folder around it but the root. */
export function withFolders(at: string): readonly string[] {
  const folders: string[] = [];
  for (let one = at; one !== "/"; one = path.dirname(one)) folders.push(one);
  return folders;
}
