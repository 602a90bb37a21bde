import { newProcessName, processLives } from "@gantry/sdk/node";

const open = new Set<string>();

/** A name for this use of the file, which lives until `closed`. */
export function openedName(): string {
  const name = newProcessName();
  open.add(name);
  return name;
}

export function closed(name: string): void {
  open.delete(name);
}

/** Returns true if the process with that name still runs here, and still uses the file. */
export function lives(name: string): boolean {
  const isOwn = name.split(".", 1)[0] === String(process.pid);
  return isOwn ? open.has(name) : processLives(name);
}
