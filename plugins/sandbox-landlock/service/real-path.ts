import { realpathSync } from "node:fs";

/** Where a path leads; undefined where nothing is, or where it cannot be followed. */
export function realPath(at: string): string | undefined {
  try {
    return realpathSync(at);
  } catch {
    return undefined;
  }
}
