import { readFileSync } from "node:fs";

const most = 1_024;

/** Connections at a time: half of the files that the process may open, so that the store never goes without. */
export function maxConnections(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Math.min(most, Math.floor(Number(soft ?? 2 * most) / 2));
  } catch {
    return most / 4;
  }
}
