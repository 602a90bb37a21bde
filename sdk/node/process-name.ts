import { statFields } from "./process-identity.ts";

let made = 0;

/** A name that no other user of a shared file has, now or later: `<pid>.<start>.<n>`. */
export function newProcessName(): string {
  return `${process.pid}.${startOf(process.pid)}.${++made}`;
}

/** Whether the process that such a name was made by still runs on this machine. */
export function processLives(name: string): boolean {
  const [pid, start] = name.split(".").map(Number) as [number, number];
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
  const fields = statFields(pid);
  return fields[0] === "Z" ? -1 : Number(fields[19] ?? 0);
}
