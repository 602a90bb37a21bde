import { readFileSync } from "node:fs";

const open = new Set<string>();
let opened = 0;

/** A name for this use of the file that no later process has: `<pid>.<start>.<n>`. It lives until `closed`. */
export function newProcessName(): string {
  const name = `${process.pid}.${startOf(process.pid)}.${++opened}`;
  open.add(name);
  return name;
}

export function closed(name: string): void {
  open.delete(name);
}

/** Whether the process with that name still runs here, and still uses the file. */
export function lives(name: string): boolean {
  const [pid, start] = name.split(".").map(Number) as [number, number];
  if (pid === process.pid) return open.has(name);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = startOf(pid);
  return now === start || now === 0 || start === 0;
}

/** When a process started, in the kernel's ticks; 0 where that cannot be told, so that the pid alone counts; -1 for one that only waits to be reaped. */
function startOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces and brackets of its own.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? -1 : Number(fields[19]);
  } catch {
    return 0;
  }
}
