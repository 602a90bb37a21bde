import { statSync } from "node:fs";
import path from "node:path";
import { SEARCH_PATH } from "./environment.ts";
import { realPath } from "./real-path.ts";

/** Which blocked commands the kernel can refuse, whoever starts them. */
export interface BlockedCommands {
  /** Real files that are neither to be executed nor read. */
  readonly files: readonly string[];
  /** The names that they hold. */
  readonly held: readonly string[];
  /** Parts that only the guards' reading enforces, with the reason. */
  readonly notHeld: readonly string[];
}

/**
 * Finds the files of blocked commands. The kernel tells files apart, not names: a name that stands
 * for a part of a larger program, as with busybox, or that is blocked with certain arguments alone,
 * is left to the guards. A program that is not installed needs no wall.
 */
export function blockedCommands(entries: readonly string[]): BlockedCommands {
  const files = new Set<string>();
  const held: string[] = [];
  const notHeld: string[] = [];
  for (const entry of entries.map((one) => one.trim()).filter(Boolean)) {
    if (/\s/.test(entry)) {
      notHeld.push(`${entry} (only with these arguments)`);
      continue;
    }
    const found = programs(entry);
    const shared = found.find((file) => path.basename(file) !== entry || statSync(file).nlink > 1);
    if (shared !== undefined) notHeld.push(`${entry} (a name of ${shared})`);
    else if (found.length > 0) held.push(entry);
    if (shared === undefined) for (const file of found) files.add(file);
  }
  return { files: [...files], held, notHeld };
}

function programs(name: string): readonly string[] {
  const found = SEARCH_PATH.split(":").flatMap((folder) => realPath(path.join(folder, name)) ?? []);
  return [...new Set(found)];
}
