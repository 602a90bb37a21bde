import type { BigIntStats } from "node:fs";
import type { Left } from "./upper.ts";

/** Returns the paths at which the overlay left notes. */
export const notedIn = (one: Left): readonly string[] => [
  ...(one.notes.length > 0 ? [one.at] : []),
  ...one.children.flatMap(notedIn),
];

/** Returns the inode numbers of the folders in a folder. */
export const foldersIn = ({ children }: Left): readonly string[] =>
  children.flatMap((one) => (one.kind === "folder" ? [String(one.about.ino), ...foldersIn(one)] : []));

/**
 * Returns true if a file was copied up and then not changed, or is again what it was. The overlay
 * notes no origin of a file with several names. One that got a further name is put with that.
 */
export function isSame({ kind, about, notes }: Left, there: BigIntStats): boolean {
  if (kind !== "file" || !there.isFile() || about.nlink > 1n) return false;
  if (!notes.includes("origin") && there.nlink === 1n) return false;
  return (["size", "mtimeNs", "mode", "uid", "gid"] as const).every((key) => about[key] === there[key]);
}
