import { readFileSync } from "node:fs";

/** The index of the number of threads. */
export const THREADS = 17;

/** Returns the fields after the name, which may hold anything: state, parent, group, … */
export function statOf(pid: number | string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)?.[1] ?? 0);
}

/** Returns true if one process was started by another, at whatever remove. */
export function descends(pid: number, from: number): boolean {
  let at = parentOf(pid);
  while (at > 1 && at !== from) at = parentOf(at);
  return at === from;
}
