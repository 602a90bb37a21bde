import path from "node:path";
import { aboutPath } from "./about-path.ts";

/**
 * Returns true for a folder of these names that git takes for a repository, whatever the folder is
 * called. A linked working tree has a `HEAD` of its own, so the repository needs none.
 */
export function looksLikeGit(has: (name: string) => boolean): boolean {
  return (has("HEAD") && has("commondir")) || (has("objects") && has("refs"));
}

/**
 * Returns a path in a repository as it would be were that called `.git`: `.git/config` for
 * `lib.git/config`. Undefined outside of repositories. With `made`, what is not there yet counts as
 * there.
 */
export function inGit(root: string, relative: string, made = false): string | undefined {
  const names = relative.split("/");
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const folder = path.join(root, ...names.slice(0, depth));
    const has = (name: string): boolean =>
      aboutPath(path.join(folder, name)) !== undefined || (made && name === names[depth]);
    if (names[depth - 1] === ".git" || looksLikeGit(has)) return [".git", ...names.slice(depth)].join("/");
  }
  return undefined;
}
