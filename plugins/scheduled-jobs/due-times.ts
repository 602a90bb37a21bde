import type { NextDue } from "../shared/due.ts";
import type { Job } from "./job.ts";

/** The decision on the due times of a job that have passed. */
export interface PassedDueTimes {
  /** The one that is to be run, Unix ms. */
  readonly run: number | undefined;
  /** Those that are not, with the reason. */
  readonly skipped: readonly { readonly due: number; readonly reason: string }[];
  /** The last of all, Unix ms. */
  readonly last: number | undefined;
}

/** A due time that is dealt with this much later was missed. */
const graceMs = 5 * 60_000;
/**
 * The most due times of a long absence that are told one by one, the newest, since each takes time
 * to find.
 */
const maxTold = 1_000;

/**
 * Deals with all due times behind `handled`, up to `now` (Unix ms): of several the newest runs, and
 * none that is late if the job skips what it missed.
 */
export function passedDueTimes(job: Job, next: NextDue, handled: number, now: number): PassedDueTimes {
  const { dues, isCut } = newestDueTimes(next, handled, now);
  const last = dues.at(-1);
  if (last === undefined) return { run: undefined, skipped: [], last };
  const runs = now - last <= graceMs || job.on_missed === "run";
  const reason = `It passed while nothing ran it${runs ? "; a later one was run" : ""}.`;
  const missed = (runs ? dues.slice(0, -1) : dues).map((due) => ({ due, reason }));
  const [first, ...others] = missed;
  if (!isCut || !first) return { run: runs ? last : undefined, skipped: missed, last };
  const told = { ...first, reason: `${reason} So did all before it, which are not told one by one.` };
  return { run: runs ? last : undefined, skipped: [told, ...others], last };
}

/**
 * Returns the due times behind `handled`, up to `now`; of too many the newest, and that there are
 * others.
 */
function newestDueTimes(next: NextDue, handled: number, now: number) {
  let from = handled;
  for (let isCut = false; ; isCut = true) {
    const dues: number[] = [];
    let due = next(from);
    for (; due !== undefined && due <= now && dues.length < maxTold; due = next(due)) dues.push(due);
    if (due === undefined || due > now) return { dues, isCut };
    // A span of this length before now holds about as many; a pattern with gaps may need a shorter
    // one.
    const span = Math.min((dues.at(-1) ?? now) - from, (now - from) / 2);
    from = now - span;
  }
}
