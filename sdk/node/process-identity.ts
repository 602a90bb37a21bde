import { readFileSync, readlinkSync } from "node:fs";

/** The start of the machine and the space of process numbers; the same for all where that cannot be told. */
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
 * `<pid> <start time> <place>`: a number that was given to another process since is not mistaken for the holder. Empty where
 * there is none.
 */
export function identity(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "";
  }
  const fields = statFields(pid);
  if (fields[0] === "Z") return "";
  return `${pid} ${fields[19] ?? ""} ${place}`;
}

/** Whether the process that an {@link identity} names is known to have ended: one of another container cannot be seen. */
export function isGone(named: string): boolean {
  const [pid, , where] = named.split(" ");
  return where === place && identity(Number(pid)) !== named;
}

/** What the kernel says of a process, from its state on; empty where that cannot be told. */
export function statFields(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces and brackets of its own.
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
