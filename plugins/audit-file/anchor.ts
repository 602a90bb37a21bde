import type { Acknowledgement, Gap } from "./acknowledged.ts";
import type { Head } from "./head.ts";
import { NOTHING } from "./record.ts";

/** A record that the store has noted, so that who removes the log does not remove that too. */
export interface Anchor {
  readonly seq: number;
  /** The hash of its line. */
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The part of a log that was read. */
interface ReadSoFar {
  readonly last: number;
  /** The hash of the record that the store has noted. */
  readonly anchored: string | undefined;
  readonly acknowledged: readonly Acknowledgement[];
}

/** A problem of a log that does not hold the record which the store has noted. */
interface Unanchored {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly gap: Gap;
  readonly isUnanchored: true;
}

/** Returns what is wrong with a log that does not hold the record which the store has noted. */
export function unanchored(
  log: string,
  read: ReadSoFar,
  head: Head | undefined,
  anchor: Anchor,
): Unanchored | undefined {
  const { seq, hash, at } = anchor;
  const isKnown = read.acknowledged.some(({ from, to }) => from <= seq && seq <= to);
  // Old records are removed in order; the numbers go on.
  const isOld = head !== undefined && head.first > seq;
  if (read.anchored === hash || isKnown || isOld) return undefined;
  const from = Math.min(read.last + 1, seq);
  const what =
    read.last < seq
      ? `it ends at record ${read.last}, and the store has noted record ${seq} at ${at}: what lay between was removed`
      : `record ${seq} is another one than the store has noted at ${at}: the log was replaced`;
  return { file: log, line: 1, what, gap: { from, to: seq, before: NOTHING }, isUnanchored: true };
}
