import { readFileSync, readlinkSync } from "node:fs";

/**
 * The start of the machine and the space of process numbers; the same for all if that cannot be
 * told.
 */
export const place: string = placeOf();

function placeOf(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "here";
  }
}

/**
 * Returns `<pid> <start time> <place>`: a number that was given to another process since is not
 * mistaken for the holder. Empty if there is none.
 */
export function identity(pid: number): string {
  const start = startOf(pid);
  return start === undefined ? "" : `${pid} ${start} ${place}`;
}

/**
 * Returns true if the process that an {@link identity} names is known to have ended: one of another
 * container cannot be seen.
 */
export function isGone(named: string): boolean {
  const [pid, , where] = named.split(" ");
  return where === place && identity(Number(pid)) !== named;
}

let made = 0;

/**
 * Returns a name that no other user of a shared file has, now or later, and that a file can have:
 * `<pid>.<start time>.<n>`.
 */
export function newProcessName(): string {
  return `${process.pid}.${startOf(process.pid) || 0}.${++made}`;
}

/** Returns true if the process that made such a name still runs here. */
export function processLives(name: string): boolean {
  const [pid, start] = name.split(".") as [string, string];
  const now = startOf(Number(pid));
  // If no start time can be told the number alone counts.
  return now !== undefined && (now === start || now === "" || start === "0");
}

/**
 * Returns the start in the kernel's ticks; empty if it cannot be told, undefined if there is no
 * process or it only waits to be reaped.
 */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  const fields = statFields(pid);
  return fields[0] === "Z" ? undefined : (fields[19] ?? "");
}

/** Returns the kernel's fields of a process, from its state on; empty if they cannot be told. */
function statFields(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces and brackets of its own.
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
