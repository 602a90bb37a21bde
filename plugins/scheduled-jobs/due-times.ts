import type { NextDue } from "./due.ts";
import type { Job } from "./job.ts";

/** What is to become of the due times of a job that have passed. */
export interface PassedDueTimes {
  /** The one that is to be run, Unix ms. */
  readonly run: number | undefined;
  /** Those that are not, with the reason. */
  readonly skipped: readonly { readonly due: number; readonly reason: string }[];
  /** The last of all, Unix ms. */
  readonly last: number | undefined;
}

/** A due time that is dealt with this much later was missed. */
export const graceMs = 5 * 60_000;
/** Of a long absence so many due times are told one by one, and the others together. */
const maxTold = 1_000;

/**
 * Deals with all due times behind `handled`, up to `now` (Unix ms): of several the newest runs, and none that is late if the job
 * skips what it missed.
 */
export function passedDueTimes(job: Job, next: NextDue, handled: number, now: number): PassedDueTimes {
  const passed: number[] = [];
  let untold = 0;
  for (let due = next(handled); due !== undefined && due <= now; due = next(due)) {
    passed.push(due);
    if (passed.length > maxTold) {
      passed.shift();
      untold += 1;
    }
  }
  const last = passed.at(-1);
  if (last === undefined) return { run: undefined, skipped: [], last };
  const runs = now - last <= graceMs || job.on_missed === "run";
  const missed = runs ? passed.slice(0, -1) : passed;
  const [first, ...others] = missed.map((due) => ({ due, reason: reasonOf(runs) }));
  const before = untold === 0 ? "" : ` So were ${untold} due times before it.`;
  const skipped = first === undefined ? [] : [{ ...first, reason: `${first.reason}${before}` }, ...others];
  return { run: runs ? last : undefined, skipped, last };
}

function reasonOf(isReplaced: boolean): string {
  return isReplaced
    ? "It passed while nothing ran it; a later one was run."
    : "It passed while nothing ran it.";
}
