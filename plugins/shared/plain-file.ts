import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open, readlink, type FileHandle } from "node:fs/promises";
import { isInside } from "@gantry/sdk/node";

/**
 * Whatever hostile programs put in a file's place meanwhile: a pipe is not waited for, a link not
 * followed.
 */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An open file. */
export interface PlainFile {
  /** Changes with the file. */
  readonly stamp: string;
  /** Reads it; undefined if `most` bytes are too few. */
  text(most: number): Promise<string | undefined>;
}

/**
 * The first `most` bytes of a plain file, as text; undefined for everything else, whatever hostile
 * programs put there.
 */
export function plainFileStart(file: string, most: number): string | undefined {
  return plainFileBytes(file, most)?.toString("utf8");
}

/** {@link plainFileStart} as bytes. */
export function plainFileBytes(file: string, most: number): Buffer | undefined {
  try {
    const fd = openSync(file, FLAGS);
    try {
      if (!fstatSync(fd).isFile()) return undefined;
      const buffer = Buffer.alloc(most);
      return buffer.subarray(0, readSync(fd, buffer, 0, most, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/**
 * Opens a plain file of a folder that hostile programs change meanwhile, without holding up this
 * thread where the disk is slow, and hands it to `use`, which is not called for anything else.
 * @param root - the folder's real path, which no link on the way leads out of
 */
export async function withPlainFile(
  root: string,
  file: string,
  use: (file: PlainFile) => Promise<void>,
): Promise<void> {
  const handle = await open(file, FLAGS).catch(() => undefined);
  if (!handle) return;
  try {
    const about = await handle.stat();
    if (!about.isFile() || !(await standsIn(root, handle))) return;
    await use({ stamp: `${about.mtimeMs} ${about.size}`, text: (most) => textOf(handle, about.size, most) });
  } finally {
    await handle.close();
  }
}

/** A folder on the way may have become a link. */
async function standsIn(root: string, { fd }: FileHandle): Promise<boolean> {
  const at = await readlink(`/proc/self/fd/${fd}`).catch(() => root);
  return isInside(at, root);
}

async function textOf(handle: FileHandle, size: number, most: number): Promise<string | undefined> {
  if (size > most) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.toString("utf8", 0, bytesRead);
}
