import { readFileSync, readdirSync } from "node:fs";

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

export function parentOf(pid: number): number {
  return Number(statOf(pid)?.[1] ?? 0);
}

/** Returns true if one process was started by another, at whatever remove. */
export function descends(pid: number, from: number, parent = parentOf): boolean {
  let at = parent(pid);
  while (at > 1 && at !== from) at = parent(at);
  return at === from;
}

/** Returns every process there is, with its fields. */
export function allProcesses(): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const pid of readdirSync("/proc")) {
    const fields = /^\d+$/.test(pid) ? statOf(pid) : undefined;
    if (fields) found.set(Number(pid), fields);
  }
  return found;
}

/** Returns those of `processes` that descend from one, itself left out. */
export function descendantsOf(
  from: number,
  processes: ReadonlyMap<number, readonly string[]>,
): readonly number[] {
  const parent = (pid: number): number => Number(processes.get(pid)?.[1] ?? 0);
  return [...processes.keys()].filter((pid) => descends(pid, from, parent));
}

/** Returns false if the process is not there to be signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
