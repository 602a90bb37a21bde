import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";

/**
 * Returns a text that changes whenever something in the folder does, without reading any file;
 * undefined if it cannot be told. It holds the time of each change (ctime), which no program can
 * set.
 */
export function folderStamp(root: string): string | undefined {
  const stamps: string[] = [];
  try {
    stampInto(root, stamps);
  } catch {
    return undefined;
  }
  return stamps.join("\n");
}

/** No more than a skill may have, and its own folder. */
const maxEntries = 2_001;

function stampInto(at: string, stamps: string[]): void {
  if (stamps.length >= maxEntries) throw new Error("too many entries");
  const facts = lstatSync(at, { bigint: true });
  stamps.push(`${facts.ino} ${facts.mode} ${facts.size} ${facts.ctimeNs}`);
  if (facts.isDirectory()) for (const name of readdirSync(at)) stampInto(path.join(at, name), stamps);
}
