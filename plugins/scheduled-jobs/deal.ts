import type { Store } from "@gantry/sdk";
import { holdLane, whileHeld } from "@gantry/sdk/node";
import { passedDueTimes } from "./due-times.ts";
import type { NextDue } from "../shared/due.ts";
import type { Job, JobRun } from "./job.ts";
import { runJob, type RunNeeds } from "./one-run.ts";
import type { JobShelf, Mark } from "./shelf.ts";
import { tellFailed } from "./tell-failed.ts";

export interface DealNeeds extends RunNeeds {
  readonly store: () => Store;
  readonly shelf: JobShelf;
}

/** The outcome of a look at a job's due times. */
export interface Dealt {
  /** The run that was ended, or was found cut off. */
  readonly run: JobRun | undefined;
}

/**
 * Deals with all that has fallen due of a job; returns undefined if another process does. Each due
 * time comes to one record that says done, failed or skipped, also if the process ends at any
 * moment: what was begun is not begun again.
 */
export async function dealWith(
  needs: DealNeeds,
  job: Job,
  next: NextDue,
  signal: AbortSignal,
): Promise<Dealt | undefined> {
  const { lanes } = needs.store();
  if (lanes.isDrained?.()) return undefined;
  const lease = await holdLane(lanes, `job:${job.name}`);
  if (!lease) return undefined;
  return whileHeld(lanes, lease, (lost) => dealHeld(needs, job, next, AbortSignal.any([signal, lost])));
}

async function dealHeld(needs: DealNeeds, job: Job, next: NextDue, signal: AbortSignal): Promise<Dealt> {
  const { shelf } = needs;
  const mark = await shelf.mark(job.name);
  if (!mark || mark.isPaused === true) return { run: undefined };
  const cutOff = await endCutOff(shelf, job, mark);
  const { run: due, skipped, last } = passedDueTimes(job, next, handledBy(mark), Date.now());
  for (const { due: missed, reason } of skipped)
    await shelf.addRun({ ...beginning(job, missed), state: "skipped", reason, ended: now() });
  const run = due === undefined ? undefined : await runOnce(needs, job, due, signal);
  const ended = run ?? cutOff;
  if (ended) await tellFailed(needs, job, ended);
  const { begun: _, ...kept } = (await shelf.mark(job.name)) ?? mark;
  if (last !== undefined || mark.begun !== undefined)
    await shelf.setMark(job.name, { ...kept, handled: Math.max(last ?? 0, handledBy(kept)) });
  // A reminder that was said is over, and leaves its name and its history.
  if (job.at !== undefined && !job.isConfigured && last !== undefined) await shelf.remove(job.name);
  return { run: ended };
}

async function runOnce(
  needs: DealNeeds,
  job: Job,
  due: number,
  signal: AbortSignal,
): Promise<JobRun | undefined> {
  const { shelf } = needs;
  const facts = beginning(job, due);
  const mark = await shelf.mark(job.name);
  if (!mark || mark.isPaused === true) return undefined;
  await shelf.setMark(job.name, { ...mark, begun: due });
  if (!(await shelf.addRun({ ...facts, state: "begun" }))) return undefined;
  const { reply: _, ...end } = await runJob(needs, job, facts.due, "none", signal);
  const run: JobRun = { ...facts, ...end, ended: now() };
  await shelf.endRun(run);
  return run;
}

/**
 * A run that was begun and that nobody holds ended with its process. What it did is done, so it is
 * not run again.
 */
async function endCutOff(shelf: JobShelf, job: Job, { begun }: Mark): Promise<JobRun | undefined> {
  if (begun === undefined) return undefined;
  const run = await shelf.run(job.name, new Date(begun).toISOString());
  if (run?.state !== "begun") return undefined;
  const ended: JobRun = { ...run, state: "failed", reason: "The process ended while it ran.", ended: now() };
  await shelf.endRun(ended);
  return ended;
}

/**
 * Returns the last due time that was dealt with: none lies ahead, whatever a wrong clock has said.
 */
export function handledBy({ handled }: Mark): number {
  return Math.min(handled, Date.now());
}

function beginning(job: Job, due: number): Pick<JobRun, "job" | "due" | "begun"> {
  return { job: job.name, due: new Date(due).toISOString(), begun: now() };
}

function now(): string {
  return new Date().toISOString();
}
