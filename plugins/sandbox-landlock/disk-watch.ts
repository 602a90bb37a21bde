import { lstatSync, readdirSync, statfsSync } from "node:fs";
import path from "node:path";

const LOOK_MS = 200;
const BLOCK = 512;

/**
 * Calls `full` once the files written since now beneath a folder take more than `bytes`. It counts them only where the
 * file system has lost as much, which costs one call. Gives what ends the watch.
 */
export function watchDisk(folder: string, bytes: number, full: () => void): () => void {
  const since = Date.now();
  const before = freeBytes(folder);
  const timer = setInterval(() => {
    if (before - freeBytes(folder) <= bytes || writtenSince(folder, since, bytes) <= bytes) return;
    clearInterval(timer);
    full();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function freeBytes(folder: string): number {
  const { bfree, bsize } = statfsSync(folder);
  return bfree * bsize;
}

/** Stops counting where it is more than `enough`. */
function writtenSince(folder: string, since: number, enough: number): number {
  let written = 0;
  const left = [folder];
  for (let at = left.pop(); at !== undefined && written <= enough; at = left.pop()) {
    for (const entry of entriesOf(at)) {
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) left.push(file);
      const about = lstatSync(file, { throwIfNoEntry: false });
      if (about && about.ctimeMs >= since) written += about.blocks * BLOCK;
    }
  }
  return written;
}

function entriesOf(folder: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
