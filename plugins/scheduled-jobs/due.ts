import { cronDue, everyDue, lengthOf, type NextDue } from "../shared/due.ts";
import { errors } from "./errors.ts";
import type { Job, Schedule } from "./job.ts";

/** Reads a schedule. Throws JOB_WHEN, JOB_CRON, JOB_EVERY, JOB_AT or JOB_TIME_ZONE. */
export async function nextDueOf(job: Schedule & Pick<Job, "name" | "made">): Promise<NextDue> {
  const written = (["cron", "every", "at"] as const).filter((key) => job[key] !== undefined);
  if (written.length !== 1) throw errors.JOB_WHEN(job.name, written.join(" and ") || "none");
  checkZone(job);
  if (job.every !== undefined) return everyDue(periodOf(job.name, job.every), job.made);
  if (job.at !== undefined) return atDue(job.name, job.at, job.time_zone);
  return patternOf(job.name, job.cron ?? "", job.time_zone);
}

function checkZone({ name, time_zone }: Schedule & Pick<Job, "name">): void {
  if (time_zone === undefined) return;
  try {
    Intl.DateTimeFormat("en", { timeZone: time_zone });
  } catch {
    throw errors.JOB_TIME_ZONE(name, time_zone);
  }
}

/** Returns the time that lies so long ahead, as `at` takes it. Throws JOB_EVERY. */
export function timeAfter(name: string, period: string): string {
  return new Date(Date.now() + periodOf(name, period)).toISOString().replace(/\.\d+/, "");
}

function periodOf(name: string, period: string): number {
  const length = lengthOf(period);
  if (length === undefined) throw errors.JOB_EVERY(name, period);
  return length;
}

async function atDue(name: string, at: string, zone: string | undefined): Promise<NextDue> {
  const [, date, time, offset] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/.exec(at) ?? [];
  if (date === undefined || time === undefined || !isDay(date)) throw errors.JOB_AT(name, at);
  const whole = time.length === 5 ? `${time}:00` : time;
  const due =
    offset === undefined
      ? await localTime(name, at, `${date}T${whole}`, zone)
      : Date.parse(`${date}T${whole}${offset}`);
  if (Number.isNaN(due)) throw errors.JOB_AT(name, at);
  return (after) => (due > after ? due : undefined);
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

/** A local time that a change of the clock leaves out falls due at the change. */
async function localTime(name: string, at: string, local: string, zone: string | undefined): Promise<number> {
  const { Cron: Pattern } = await import("croner");
  try {
    const once = new Pattern(local, { paused: true, ...(zone !== undefined && { timezone: zone }) });
    return once.nextRun(new Date(0))?.getTime() ?? Number.NaN;
  } catch {
    throw errors.JOB_AT(name, at);
  }
}

async function patternOf(name: string, cron: string, zone: string | undefined): Promise<NextDue> {
  try {
    return await cronDue(cron, zone);
  } catch (error) {
    throw errors.JOB_CRON(cron, name, (error as Error).message);
  }
}
