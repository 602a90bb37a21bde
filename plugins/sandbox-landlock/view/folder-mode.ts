import { chmodSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import type { Beneath } from "./beneath.ts";

const { O_DIRECTORY, O_NOFOLLOW } = constants;
const O_PATH = 0x200000;
const MODE = 0o777;

/**
 * Gives a folder the mode `to` if it has the mode `from`. Returns false if it has neither, or is
 * not a folder by now: a link is never followed.
 */
export function changeMode(there: Beneath, at: string, from: number, to: number): boolean {
  const fd = openFolder(there.name(at));
  if (fd === undefined) return false;
  try {
    const { mode } = fstatSync(fd);
    if ((mode & MODE) !== from) return (mode & MODE) === to;
    chmodSync(`/proc/self/fd/${fd}`, (mode & 0o7000) | to);
    return true;
  } finally {
    closeSync(fd);
  }
}

function openFolder(at: string): number | undefined {
  try {
    return openSync(at, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}
