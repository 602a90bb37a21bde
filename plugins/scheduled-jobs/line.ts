import { nextDueOf } from "./due.ts";
import type { Job } from "./job.ts";
import type { Mark } from "./shelf.ts";

/** Returns when a job is due next, as ISO 8601 in UTC, or why it is not. */
export async function dueOf(job: Job, mark: Mark | undefined): Promise<string> {
  if (mark?.isPaused === true) return "paused";
  try {
    const due = (await nextDueOf(job))(Math.max(mark?.handled ?? job.made, Date.now()));
    return due === undefined ? "over" : new Date(due).toISOString();
  } catch (error) {
    return (error as Error).message;
  }
}

export function scheduleOf({ cron, every, at, time_zone }: Job): string {
  const when = cron ?? (every === undefined ? `at ${at}` : `every ${every}`);
  return time_zone === undefined ? when : `${when} (${time_zone})`;
}

export async function lineOf(job: Job, mark: Mark | undefined): Promise<string> {
  const text = job.prompt.replaceAll(/\s+/g, " ");
  const prompt = text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text;
  return `${job.name}  ${scheduleOf(job)}  next: ${await dueOf(job, mark)}  ${prompt}`;
}
