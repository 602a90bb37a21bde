import { readFileSync, readdirSync } from "node:fs";

/** Where they tell the number of threads. */
export const THREADS = 17;

/** The fields after the name, which may hold anything: state, parent, group, … */
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

/** True where one process was started by another, at whatever remove. */
export function descends(pid: number, from: number): boolean {
  let at = parentOf(pid);
  while (at > 1 && at !== from) at = parentOf(at);
  return at === from;
}

/** True where it is none of some processes and none of them started it; false where one between them has just ended. */
export function descendsFromNone(pid: number, from: ReadonlySet<number>): boolean {
  let at = pid;
  while (at > 1 && !from.has(at)) at = parentOf(at);
  return at === 1;
}

/** Every process there is, with its fields. */
export function allProcesses(): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const pid of readdirSync("/proc")) {
    const fields = /^\d+$/.test(pid) ? statOf(pid) : undefined;
    if (fields) found.set(Number(pid), fields);
  }
  return found;
}

/** Those of `processes` that descend from one, itself left out. */
export function descendantsOf(
  from: number,
  processes: ReadonlyMap<number, readonly string[]> = allProcesses(),
): readonly number[] {
  const children = new Map<number, number[]>();
  for (const [pid, [, parent]] of processes) {
    const known = children.get(Number(parent));
    if (known) known.push(pid);
    else children.set(Number(parent), [pid]);
  }
  const found: number[] = [];
  const left = [...(children.get(from) ?? [])];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    found.push(at);
    left.push(...(children.get(at) ?? []));
  }
  return found;
}

/** False where it is not there to be signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
