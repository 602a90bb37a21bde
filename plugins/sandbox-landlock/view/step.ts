import type { BigIntStats } from "node:fs";

/** Tells whether something is still what it was, whatever its name is by now. */
export interface Mark {
  readonly ino: string;
  readonly size: string;
  readonly mtime: string;
  /** When anything of it was last changed; nobody sets that time. */
  readonly ctime: string;
}

/** Puts what the layer has at `at` to `to`; `was`: in place of that. */
export interface Put {
  readonly do: "put";
  readonly at: string;
  readonly to: string;
  readonly is: Mark;
  readonly was?: Mark;
  /** The paths in it with notes of the overlay's, which mean nothing in the workspace. */
  readonly noted?: readonly string[];
  /** The inode numbers of the folders in it. */
  readonly folders?: readonly string[];
}

/** One thing to do in the workspace; `at` is relative to it and to the layer. */
export type Step =
  | Put
  | { readonly do: "folder"; readonly at: string; readonly mode: number }
  | { readonly do: "mode"; readonly at: string; readonly mode: number; readonly was: number }
  | { readonly do: "remove"; readonly at: string; readonly was: Mark };

/** The report of something that was not done as the run did it. */
export interface Kept {
  readonly at: string;
  readonly why: string;
  /** Its name in the workspace, beside the owner's; undefined: it lies in the layer alone. */
  readonly beside?: string;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly Kept[];
}

export const markOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): Mark => ({
  ino: String(ino),
  size: String(size),
  mtime: String(mtimeNs),
  ctime: String(ctimeNs),
});

/** Returns the name of a run's file beside the owner's. */
export const besideOf = (at: string, id: string): string => `${at}.from-run-${id}`;
