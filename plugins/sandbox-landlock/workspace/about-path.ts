import { type BigIntStats, lstatSync } from "node:fs";

/** What is at a path, links not followed at the end; undefined where no path leads to anything. */
export function aboutPath(at: string): BigIntStats | undefined {
  try {
    return lstatSync(at, { bigint: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

/** What tells a file from every other: the number of one that is gone is soon that of a new one. */
export const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`;
