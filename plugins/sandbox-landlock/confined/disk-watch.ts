import { statfsSync } from "node:fs";

const LOOK_MS = 200;
const MIB = 1024 * 1024;

/**
 * Calls `stop`, with the reason, once the file system of any of these folders has lost more than so much since now, or does
 * not say. Names would not tell: files without one, or under one elsewhere, take the same blocks. Gives what ends the watch.
 */
export function watchDisk(folders: readonly string[], mb: number, stop: (why: string) => void): () => void {
  const timer = setInterval(() => look(), LOOK_MS);
  const end = (why: string): void => {
    clearInterval(timer);
    stop(why);
  };
  const before = new Map<string, number>();
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

/** Bytes that the file system of a folder lost since it was first looked at. */
function lostSince(before: Map<string, number>, folder: string): number {
  const { bfree, bsize } = statfsSync(folder);
  const free = bfree * bsize;
  if (!before.has(folder)) before.set(folder, free);
  return before.get(folder)! - free;
}
