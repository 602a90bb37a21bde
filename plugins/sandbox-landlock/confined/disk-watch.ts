import { statfsSync } from "node:fs";
import { LEAST_BYTES } from "./workspace-size.ts";

const LOOK_MS = 200;
const MIB = 1024 * 1024;

interface Room {
  readonly free: number;
  readonly files: number;
}

/**
 * Calls `stop`, with the reason, once the file system of any of these folders has lost more than so
 * much since now, or does not say. Names would not tell: files without one, or under one elsewhere,
 * take the same blocks. Returns a function that ends the watch.
 */
export function watchDisk(folders: readonly string[], mb: number, stop: (why: string) => void): () => void {
  const timer = setInterval(() => look(), LOOK_MS);
  const end = (why: string): void => {
    clearInterval(timer);
    stop(why);
  };
  const before = new Map<string, Room>();
  const look = (): void => {
    try {
      const full = folders.find((folder) => lostSince(before, folder) > mb * MIB);
      if (full !== undefined) end(`the disk of ${full} lost more than ${mb} MiB (runtime.max_disk_mb)`);
    } catch (error) {
      end(`how much it wrote cannot be told (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
    }
  };
  look();
  return () => clearInterval(timer);
}

/**
 * Returns the bytes that the file system of a folder lost since it was first looked at; each file
 * that it has more counts as some.
 */
function lostSince(before: Map<string, Room>, folder: string): number {
  const { bfree, bsize, files, ffree } = statfsSync(folder);
  const now = { free: bfree * bsize, files: files - ffree };
  const then = before.get(folder) ?? now;
  before.set(folder, then);
  return Math.max(then.free - now.free, (now.files - then.files) * LEAST_BYTES);
}
