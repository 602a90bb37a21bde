import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";

/**
 * Makes a folder for temporary files that nobody else uses, outside of what every run may open;
 * undefined if there is no place for one.
 */
export function makeTemporary(open: readonly string[]): string | undefined {
  for (const base of [tmpdir(), "/var/tmp", "/dev/shm"]) {
    try {
      const real = realpathSync(base);
      if (!open.some((root) => isInside(real, root))) return mkdtempSync(path.join(real, "gantry-run-"));
    } catch {
      // Nothing can be made there.
    }
  }
  return undefined;
}

export function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A folder that a run closed to its owner stays, and is closed to all other runs too.
  }
}
