import { CronExpressionParser } from "cron-parser";
import { assert, asyncProperty, constantFrom, integer, record, tuple } from "fast-check";
import { expect, test } from "vitest";
import type { NextDue } from "../shared/due.ts";
import { nextDueOf } from "./due.ts";
import { passedDueTimes } from "./due-times.ts";
import type { Job } from "./job.ts";

const job: Job = {
  name: "j",
  prompt: "p",
  on_missed: "run",
  place: undefined,
  by: "cli:me",
  trust: "owner",
  made: 0,
  isConfigured: false,
};
const iso = (next: NextDue, after: string): string | undefined => {
  const due = next(Date.parse(after));
  return due === undefined ? undefined : new Date(due).toISOString();
};

test.each([
  [
    "the next weekday",
    { cron: "0 9 * * 1-5", time_zone: "UTC" },
    "2026-11-20T09:00:00Z",
    "2026-11-23T09:00:00.000Z",
  ],
  [
    "a local time",
    { cron: "0 9 * * *", time_zone: "Asia/Tokyo" },
    "2026-11-20T09:00:00Z",
    "2026-11-21T00:00:00.000Z",
  ],
  [
    "an hour that summer time leaves out, at the change",
    { cron: "30 2 * * *", time_zone: "Europe/Berlin" },
    "2026-03-28T12:00:00Z",
    "2026-03-29T01:00:00.000Z",
  ],
  [
    "an hour that winter time has twice, its first",
    { cron: "30 2 * * *", time_zone: "Europe/Berlin" },
    "2026-10-24T12:00:00Z",
    "2026-10-25T00:30:00.000Z",
  ],
  ["a period from its making on", { every: "90m" }, "1970-01-01T01:00:00Z", "1970-01-01T01:30:00.000Z"],
  [
    "once, in its zone",
    { at: "2026-12-24T18:00", time_zone: "Europe/Berlin" },
    "2026-01-01T00:00:00Z",
    "2026-12-24T17:00:00.000Z",
  ],
  [
    "once, with an offset",
    { at: "2026-12-24T18:00:30+02:00" },
    "2026-01-01T00:00:00Z",
    "2026-12-24T16:00:30.000Z",
  ],
  ["never again", { at: "2026-12-24T18:00Z" }, "2026-12-24T18:00:00Z", undefined],
])("AGT-11: a schedule falls due: %s", async (_, schedule, after, due) => {
  expect(iso(await nextDueOf({ ...job, ...schedule }), after)).toBe(due);
});

test.each([
  ["nothing", {}, "JOB_WHEN"],
  ["two of the three", { cron: "* * * * *", every: "1h" }, "JOB_WHEN"],
  ["six fields", { cron: "* * * * * *" }, "JOB_CRON"],
  ["a field out of range", { cron: "61 * * * *" }, "JOB_CRON"],
  ["seconds", { every: "30s" }, "JOB_EVERY"],
  ["no period", { every: "0m" }, "JOB_EVERY"],
  ["a day that is none", { at: "2026-02-30T09:00" }, "JOB_AT"],
  ["words", { at: "tomorrow" }, "JOB_AT"],
  ["an unknown zone", { cron: "* * * * *", time_zone: "Europe/Nowhere" }, "JOB_TIME_ZONE"],
])("AGT-11: a schedule of %s is refused with its cure", async (_, schedule, code) => {
  await expect(nextDueOf({ ...job, ...schedule })).rejects.toMatchObject({ code });
});

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Auckland",
  "America/Santiago",
  "Asia/Tehran",
];
const field = (min: number, max: number) =>
  constantFrom("*", `${min}`, `${max}`, `*/${Math.max(2, Math.floor(max / 4))}`, `${min}-${max}`);

/** The hours that one of the fields below lets through. */
function hoursOf(field: string): readonly string[] {
  const all = Array.from({ length: 24 }, (_, i) => i);
  const through: Readonly<Record<string, (hour: number) => boolean>> = {
    "*": () => true,
    "*/6": (hour) => hour % 6 === 0,
    "9-17": (hour) => hour >= 9 && hour <= 17,
  };
  return all.filter(through[field] ?? ((hour) => String(hour) === field)).map(String);
}

function hourIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat("en", { timeZone, hour: "numeric", hourCycle: "h23" })
    .format(at)
    .replace(/^0(?=\d)/, "");
}

test("AGT-11: a pattern falls due when another reader of patterns says so, in ten zones over both changes of a year", async () => {
  const pattern = tuple(
    field(0, 59),
    constantFrom("*", "0", "4", "*/6", "9-17"),
    constantFrom("*", "1", "28"),
    constantFrom("*", "3", "10"),
    constantFrom("*", "0", "1-5"),
  );
  await assert(
    asyncProperty(
      record({ fields: pattern, zone: constantFrom(...zones), day: integer({ min: 0, max: 364 }) }),
      async ({ fields, zone, day }) => {
        const [, hour, date, , weekday] = fields;
        // If day of the month and day of the week are both given, the two readers let different
        // days through.
        if (date !== "*" && weekday !== "*") return;
        const cron = fields.join(" ");
        const next = await nextDueOf({ ...job, cron, time_zone: zone });
        const after = Date.UTC(2026, 0, 1) + day * 86_400_000;
        const other = CronExpressionParser.parse(cron, { tz: zone, currentDate: new Date(after) });
        const due = other.next().getTime();
        // If a change of the clock leaves an hour out, one reader takes the change, the other the
        // next day.
        if (!hoursOf(hour).includes(hourIn(zone, due))) return;
        expect([cron, zone, next(after)]).toEqual([cron, zone, due]);
      },
    ),
    { numRuns: process.env["GANTRY_LONG"] ? 5_000 : 300 },
  );
});

const minute = 60_000;
const every: NextDue = (after) => (Math.floor(after / minute) + 1) * minute;

test("AGT-11: each due time that has passed comes to exactly one run or one reason, whatever the clock did", async () => {
  await assert(
    asyncProperty(
      integer({ min: 0, max: 900 }),
      integer({ min: -3_000, max: 900 }),
      constantFrom("run" as const, "skip" as const),
      async (handled, by, on_missed) => {
        const [from, now] = [handled * minute, (handled + by) * minute + 1];
        const { run, skipped, last } = passedDueTimes({ ...job, on_missed }, every, from, now);
        const dealt = [...skipped.map(({ due }) => due), ...(run === undefined ? [] : [run])];
        const expected = Array.from({ length: Math.max(0, by) }, (_, i) => from + (i + 1) * minute);
        expect(dealt).toEqual(expected);
        expect(last).toBe(expected.at(-1));
      },
    ),
  );
});

test("AGT-11: of years of absence the newest due times are told, and that there were others", () => {
  let steps = 0;
  const counted: NextDue = (after) => ((steps += 1), every(after));
  const now = 3 * 365 * 86_400_000;
  const { run, skipped, last } = passedDueTimes(job, counted, 0, now);
  expect([run, last]).toEqual([now, now]);
  expect(skipped[0]?.reason).toContain("So did all before it");
  expect(steps).toBeLessThan(30_000);
});

test("AGT-11: after a long absence the newest due time runs once, or none, as the job says", () => {
  const now = 3 * 86_400_000 + 1;
  const hourly: NextDue = (after) => (Math.floor(after / (60 * minute)) + 1) * 60 * minute;
  const late = now + 30 * minute;
  expect(passedDueTimes(job, hourly, 0, late).run).toBe(3 * 86_400_000);
  expect(passedDueTimes({ ...job, on_missed: "skip" }, hourly, 0, late)).toMatchObject({ run: undefined });
  expect(passedDueTimes({ ...job, on_missed: "skip" }, hourly, 0, now).run).toBe(3 * 86_400_000);
});
