import { readFileSync } from "node:fs";

/** For a machine that does not say. */
const usual = 2_048;

/** Returns the number of files, sockets and pipes that this process may have open at a time. */
export function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return usual;
  }
}
