import { readFileSync } from "node:fs";

let made = 0;

/** A name that no other user of a log has, now or later: `<pid>.<start>.<n>`. */
export function newHolder(): string {
  return `${process.pid}.${startOf(process.pid)}.${++made}`;
}

/** Whether the process of a holder still runs on this machine. */
export function lives(holder: string): boolean {
  const [pid, start] = holder.split(".").map(Number) as [number, number];
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = startOf(pid);
  return now === start || now === 0 || start === 0;
}

/** In the kernel's ticks; 0 where that cannot be told, so that the pid alone counts; -1 for a process that only waits to be reaped. */
function startOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? -1 : Number(fields[19]);
  } catch {
    return 0;
  }
}
