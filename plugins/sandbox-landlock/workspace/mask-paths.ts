import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";

/** The masks over a secret file or folder. */
export const EMPTY_FILE = "/.empty";
export const EMPTY_FOLDER = "/.empty-folder";
/** The kernel follows no more. */
const MOST_LINKS = 40;

/** Returns true for masks, and for what else exists in this process' view alone. */
export function isOfView(at: string): boolean {
  return deviceOf(at) === deviceOf("/");
}

/**
 * Returns the target of a file of the workspace, if it stays there: what lies outside is closed, or
 * granted by its own name.
 */
export function targetOf(root: string, relative: string): readonly string[] {
  const at = path.join(root, relative);
  try {
    const real = lstatSync(at).isSymbolicLink() ? realpathSync(at) : at;
    return isInside(real, root) ? [real] : [];
  } catch {
    return [];
  }
}

/**
 * Returns each name that a link leads to, one link after another, relative to the workspace; the
 * last may not exist. A folder around the link is left out.
 */
export function ledTo(root: string, link: string): readonly string[] {
  const led: string[] = [];
  const first = path.join(root, link);
  try {
    for (let at = first, hop = 0; hop < MOST_LINKS && isLink(at); hop++) {
      const target = readlinkSync(at);
      const from = path.isAbsolute(target) ? target : `${path.dirname(at)}/${target}`;
      // A path that ends in dots has no name of its own.
      at = /(^|\/)\.{1,2}\/*$/.test(from) ? realpathSync.native(from) : realNameOf(from);
      if (isInside(at, root) && !isInside(first, at)) led.push(path.relative(root, at));
    }
  } catch {
    // A folder on the way is not there.
  }
  return led;
}

const isLink = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const realNameOf = (at: string): string =>
  path.join(realpathSync.native(at.replace(/[^/]+\/*$/, "") || "/"), path.basename(at));

const deviceOf = (at: string): number | undefined => lstatSync(at, { throwIfNoEntry: false })?.dev;

/** Returns a path and every folder around it but the root. */
export function withFolders(at: string): readonly string[] {
  const folders: string[] = [];
  for (let one = at; one !== "/"; one = path.dirname(one)) folders.push(one);
  return folders;
}
