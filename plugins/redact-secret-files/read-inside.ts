import { constants } from "node:fs";
import { open, readlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { isInside } from "@gantry/sdk/node";

export interface Stamped {
  /** Changes with the file. */
  readonly stamp: string;
  /** Reads what is left of the file; undefined where `most` bytes are too few. */
  text(most: number): Promise<string | undefined>;
}

/**
 * Opens a file of a folder that hostile programs change meanwhile, and hands it to `use`: whatever takes its place is
 * neither waited for, nor followed, nor read beyond its bounds. Gives undefined for what is no plain file in there.
 * @param root - the folder's real path
 */
export async function readInside(
  root: string,
  file: string,
  use: (file: Stamped) => Promise<void>,
): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
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
