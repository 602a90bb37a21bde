import {
  type Stats,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  cpSync,
  lstatSync,
  lutimesSync,
  openSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { constants as os } from "node:os";
import { KernelError } from "../kernel/kernel.ts";
import { renameNew } from "./attributes.ts";

const O_PATH = 0x200000;
const { EXDEV } = os.errno;

/** Moves by copying where it has to; nothing is replaced. */
export function renameOrCopy(from: string, to: string): void {
  try {
    renameNew(from, to);
  } catch (error) {
    if (!isErrno(error, EXDEV)) throw error;
    copy(from, to);
    rmSync(from, { recursive: true, force: true });
  }
}

/** Copies with modes, owners and times; shares the blocks where the file system can. */
export function copy(from: string, to: string): void {
  const about = lstatSync(from);
  const times = [about.atimeMs / 1_000, about.mtimeMs / 1_000] as const;
  if (about.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return lutimesSync(to, ...times);
  }
  if (about.isFile()) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    return finishCopy(to, about, times);
  }
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
  });
}

/** Makes a copy what its original is; a link that somebody put in its place is not followed. */
function finishCopy(to: string, { mode, uid, gid }: Stats, times: readonly [number, number]): void {
  const fd = openSync(to, O_PATH | constants.O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${fd}`;
    if (process.getuid?.() === 0) chownSync(opened, uid, gid);
    chmodSync(opened, mode & 0o777);
    utimesSync(opened, ...times);
  } finally {
    closeSync(fd);
  }
}

/** True if the kernel answered with one of these errors. */
export const isErrno = (error: unknown, ...numbers: readonly number[]): boolean =>
  error instanceof KernelError && numbers.includes(error.errno);
