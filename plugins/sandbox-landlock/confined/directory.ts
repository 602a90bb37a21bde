import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW } = constants;
const O_PATH = 0x200000;

/** Thrown if a link stands in the way: what was checked is no longer what is there. */
export class LinkInPath extends Error {}

/**
 * Hands `use` a name for the directory at an absolute path, reached step by step through
 * descriptors and never through a link, so that nobody can swap one in between. `make` creates what
 * is missing.
 */
export function inDirectory<T>(path: string, make: boolean, use: (directory: string) => T): T {
  if (process.platform !== "linux") return inPlainDirectory(path, make, use);
  let fd = openSync("/", O_PATH | O_DIRECTORY);
  try {
    for (const name of path.split("/").filter(Boolean)) {
      if (name === "..") throw new LinkInPath(path);
      const next = step(`/proc/self/fd/${fd}/${name}`, make);
      closeSync(fd);
      fd = next;
    }
    return use(`/proc/self/fd/${fd}`);
  } finally {
    closeSync(fd);
  }
}

function step(path: string, make: boolean): number {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" && lstatSync(path).isSymbolicLink()) throw new LinkInPath(path);
    if (!make || code !== "ENOENT") throw error;
    mkdirSync(path);
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }
}

function inPlainDirectory<T>(path: string, make: boolean, use: (directory: string) => T): T {
  if (make) mkdirSync(path, { recursive: true });
  if (realpathSync(path) !== path) throw new LinkInPath(dirname(path));
  return use(path);
}
