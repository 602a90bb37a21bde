import {
  type Stats,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { constants as os } from "node:os";
import path from "node:path";
import { shortHash } from "@gantry/sdk/node";
import { KernelError, libcCall } from "../kernel/kernel.ts";
import { renameNew } from "./attributes.ts";
import { removeFolder } from "./remove-folder.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const { EXDEV } = os.errno;
const SLASH = Buffer.from("/");

/**
 * Moves by copying if it has to; nothing is replaced. What has the new name is always whole.
 */
export function renameOrCopy(from: string, to: string): void {
  try {
    renameNew(from, to);
  } catch (error) {
    if (!isErrno(error, EXDEV)) throw error;
    copyWhole(from, to);
    removeAny(from);
  }
}

/** Copies under another name first, and gives the copy its name once the disk has all of it. */
export function copyWhole(from: string, to: string): void {
  const draft = path.join(path.dirname(to), `.gantry-copy-${shortHash(path.basename(to))}`);
  removeAny(draft);
  try {
    copy(from, draft);
    flush(path.dirname(to));
    renameNew(draft, to);
  } catch (error) {
    removeAny(draft);
    throw error;
  }
}

/** Has the file system of a folder write all that it has not yet. */
function flush(folder: string): void {
  const fd = openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    libcCall("syncfs", ["int"], fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes a file, a link, or a folder with all in it; nothing happens if there is none. */
export function removeAny(at: string): void {
  const about = lstatSync(at, { throwIfNoEntry: false });
  if (about?.isDirectory()) removeFolder(at);
  else if (about) unlinkSync(at);
}

/**
 * Copies with modes, owners and times; shares the blocks where the file system can. Each file and
 * folder is held open while it is copied and filled, so that a link that somebody puts in its place
 * is not followed. Throws if something has the new name, or if the old one is a device, a socket or
 * a pipe.
 */
export function copy(from: string | Buffer, to: string | Buffer): void {
  const about = lstatSync(from);
  if (about.isSymbolicLink()) return copyLink(from, to, about);
  const isFolder = about.isDirectory();
  using source = new Held(from, O_RDONLY | (isFolder ? O_DIRECTORY : O_NONBLOCK));
  if (!isFolder && !source.about.isFile()) throw new Error("it is a device, a socket or a pipe");
  if (isFolder) mkdirSync(to, { mode: 0o700 });
  using target = new Held(to, isFolder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL);
  if (!isFolder) copyFileSync(source.name, target.name, constants.COPYFILE_FICLONE);
  else
    for (const name of readdirSync(source.name, { encoding: "buffer" }))
      copy(within(source.name, name), within(target.name, name));
  beLike(target.name, source.about);
}

function copyLink(from: string | Buffer, to: string | Buffer, about: Stats): void {
  symlinkSync(readlinkSync(from, { encoding: "buffer" }), to);
  if (process.getuid?.() === 0) lchownSync(to, about.uid, about.gid);
  lutimesSync(to, about.atimeMs / 1_000, about.mtimeMs / 1_000);
}

/** Makes a copy what its original is. */
function beLike(opened: string, { mode, uid, gid, atimeMs, mtimeMs }: Stats): void {
  if (process.getuid?.() === 0) chownSync(opened, uid, gid);
  chmodSync(opened, mode & 0o777);
  utimesSync(opened, atimeMs / 1_000, mtimeMs / 1_000);
}

/** A file or folder that is open, with a name by which it alone is reached. */
class Held implements Disposable {
  readonly name: string;
  readonly about: Stats;
  readonly #fd: number;

  /** Throws if it cannot be opened, or is a link. */
  constructor(at: string | Buffer, flags: number) {
    this.#fd = openSync(at, flags | O_NOFOLLOW, 0o600);
    this.name = `/proc/self/fd/${this.#fd}`;
    this.about = fstatSync(this.#fd);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

const within = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(folder), SLASH, name]);

/** Returns true if the kernel answered with one of these errors. */
export const isErrno = (error: unknown, ...numbers: readonly number[]): boolean =>
  error instanceof KernelError && numbers.includes(error.errno);
