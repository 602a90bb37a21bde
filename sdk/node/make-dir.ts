import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Makes a directory and those above it, mode 0700. Throws what mkdir(2) says; Node's own recursive
 * way never ends beneath /proc.
 */
export function makeDir(dir: string): void {
  if (isDirectory(dir)) return;
  if (path.dirname(dir) !== dir) makeDir(path.dirname(dir));
  try {
    mkdirSync(dir, 0o700);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
