import { realpathSync } from "node:fs";

/** Returns the target of a path; undefined if nothing is there, or if it cannot be followed. */
export function realPath(at: string): string | undefined {
  try {
    return realpathSync(at);
  } catch {
    return undefined;
  }
}
