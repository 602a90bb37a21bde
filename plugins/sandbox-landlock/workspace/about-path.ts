import { type BigIntStats, lstatSync } from "node:fs";

/**
 * Returns the status of a path without following a link at its end; undefined if it does not lead
 * to anything.
 */
export function aboutPath(at: string): BigIntStats | undefined {
  try {
    return lstatSync(at, { bigint: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

/** Returns what tells a file from every other: the number of a deleted file is soon a new one's. */
export const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`;
