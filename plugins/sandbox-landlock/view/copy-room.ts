import type { BigIntStats } from "node:fs";
import type { Left } from "./upper.ts";

/** A file takes as much of a disk, however little is in it. */
const LEAST_BYTES = 4_096n;

/** The bytes that may still be copied from one file system to another. */
export class CopyRoom {
  #left: bigint | undefined;

  /** `bytes`: undefined if nothing has to be copied. */
  constructor(bytes: bigint | undefined) {
    this.#left = bytes;
  }

  /** Takes as many bytes as `tell` says. Returns false if there are fewer; they stay then. */
  take(tell: () => bigint): boolean {
    if (this.#left === undefined) return true;
    const bytes = tell();
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Returns how large a copy is, in which no holes are left. */
export const bytesOf = ({ size }: BigIntStats): bigint => (size > LEAST_BYTES ? size : LEAST_BYTES);

/** Returns how large a copy of something in a layer is, with all that lies in it. */
export const bytesIn = ({ about, children }: Left): bigint =>
  children.reduce((sum, one) => sum + bytesIn(one), bytesOf(about));
