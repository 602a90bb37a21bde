import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type { DirectoryEntry } from "@gantry/sdk/fill";
import { isInside } from "@gantry/sdk/node";
import { LinkInPath, inDirectory } from "./directory.ts";
import type { Fault, Results } from "../messages.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Files of the kernel's own do not say how large they are. */
const UNSIZED_BYTES = 65_536;
/** A directory is sorted as far as this. */
const MAX_NAMES = 100_000;

class NotAFile extends Error {}

/** Opens nothing but a regular file, at once: a pipe or a device must not hold up the thread. */
function open(path: string, flags: number): number {
  const fd = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new NotAFile();
}

/** Returns at most `maxBytes` of a regular file, and its size. */
export function readFile(
  path: string,
  maxBytes: number,
): { readonly data: Uint8Array; readonly bytes: number } {
  return inDirectory(dirname(path), false, (directory) => {
    const fd = open(`${directory}/${basename(path)}`, O_RDONLY);
    try {
      const { size } = fstatSync(fd);
      const data = new Uint8Array(Math.min(maxBytes, size || UNSIZED_BYTES));
      let filled = 0;
      for (let got = 1; got > 0 && filled < data.length; filled += got)
        got = readSync(fd, data, filled, data.length - filled, null);
      return { data: data.subarray(0, filled), bytes: size || filled };
    } finally {
      closeSync(fd);
    }
  });
}

/** Replaces a file in one step, keeping its mode; creates it and its directories if missing. */
export function writeFile(path: string, data: string | Uint8Array): void {
  inDirectory(dirname(path), true, (directory) => {
    const target = `${directory}/${basename(path)}`;
    const mode = modeOf(target);
    const temporary = `${directory}/.${randomBytes(6).toString("hex")}.tmp`;
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
    try {
      writeFileSync(fd, data);
      if (mode !== undefined) fchmodSync(fd, mode);
      renameSync(temporary, target);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    } finally {
      closeSync(fd);
    }
  });
}

/** Removes a regular file. */
export function removeFile(path: string): void {
  inDirectory(dirname(path), false, (directory) => {
    const target = `${directory}/${basename(path)}`;
    closeSync(open(target, O_WRONLY));
    unlinkSync(target);
  });
}

/** Returns the permissions of a file that may be written; undefined if there is no such file. */
function modeOf(path: string): number | undefined {
  try {
    const fd = open(path, O_WRONLY);
    try {
      return fstatSync(fd).mode & 0o777;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the first `limit` entries of a directory, by name. */
export function listDirectory(path: string, limit: number): Results["list"] {
  return inDirectory(path, false, (directory) => {
    const names: string[] = [];
    const reader = opendirSync(directory);
    try {
      for (let entry = reader.readSync(); entry && names.length < MAX_NAMES; entry = reader.readSync())
        names.push(entry.name);
    } finally {
      reader.closeSync();
    }
    names.sort();
    return {
      entries: names.slice(0, limit).flatMap((name) => describe(directory, name)),
      more: names.length > limit,
    };
  });
}

function describe(directory: string, name: string): readonly DirectoryEntry[] {
  const about = lstatSync(`${directory}/${name}`, { throwIfNoEntry: false });
  if (!about) return [];
  const kind = about.isFile()
    ? "file"
    : about.isDirectory()
      ? "directory"
      : about.isSymbolicLink()
        ? "link"
        : "other";
  return [{ name, kind, bytes: about.size }];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it is larger than runtime.max_file_mb",
  EBUSY: "the sandbox holds it as it is",
  EISDIR: "it is a directory",
  ENOTDIR: "it is not a directory",
  ENXIO: "it is not a file",
  ENAMETOOLONG: "the name is too long",
};

/**
 * Returns the fault to report for a failed operation; outside the roots it does not reveal what
 * exists.
 */
export function faultOf(
  error: unknown,
  path: string,
  verb: string,
  roots: readonly string[] | undefined,
): Fault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (roots && !roots.some((root) => isInside(path, root))) return { fault: "outside", path };
  if (error instanceof LinkInPath || code === "ELOOP") return { fault: "outside", path };
  if (error instanceof NotAFile) return { fault: "failed", path, verb, reason: "it is not a file" };
  if (code === "ENOENT") return { fault: "missing", path };
  return { fault: "failed", path, verb, reason: REASONS[code] ?? (code || String(error)) };
}
