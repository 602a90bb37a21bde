import { execFileSync } from "node:child_process";
import { CronExpressionParser } from "cron-parser";
import { assert, asyncProperty, constantFrom, nat } from "fast-check";
import { expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { nextDueOf } from "./due.ts";

const numRuns = process.env["GANTRY_LONG"] ? 1_000 : 40;
const minute = 60_000;
const day = 1_440 * minute;

/** Zones that change their clocks twice a year: at one, two, three, midnight, by half an hour. */
const zones = [
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "America/Havana",
  "Australia/Adelaide",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Asia/Jerusalem",
];
/** Patterns, each with the same as systemd writes it. */
const patterns = [
  ["30 2 * * *", "*-*-* 02:30:00"],
  ["15 1 * * *", "*-*-* 01:15:00"],
  ["0 0 * * *", "*-*-* 00:00:00"],
  ["30 0 * * *", "*-*-* 00:30:00"],
  ["0 3 * * *", "*-*-* 03:00:00"],
  ["59 23 * * *", "*-*-* 23:59:00"],
  ["0 * * * *", "*-*-* *:00:00"],
  ["*/15 * * * *", "*-*-* *:00/15:00"],
  ["0 */6 * * *", "*-*-* 00/6:00:00"],
  ["15 1-3 * * *", "*-*-* 01..03:15:00"],
  ["45 1 * * 0", "Sun *-*-* 01:45:00"],
] as const;

/** Returns a local time as ms, as if it were UTC. */
const localOf = (zone: string) => {
  const format = new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (at: number): number => Date.parse(`${format.format(at).replace(" ", "T")}Z`);
};

interface Change {
  readonly zone: string;
  readonly at: number;
  /** The time that is left out (positive) or there twice (negative). */
  readonly by: number;
}

const changes: readonly Change[] = zones.flatMap((zone) => {
  const local = localOf(zone);
  const offset = (at: number): number => local(at) - at;
  const halves = Array.from({ length: 365 * 48 }, (_, i) => Date.UTC(2026, 0, 1) + i * 30 * minute);
  const found = halves.filter((at) => offset(at) !== offset(at - 30 * minute));
  return found.map((at) => ({ zone, at, by: offset(at) - offset(at - minute) }));
});

interface Around extends Change {
  readonly from: number;
  readonly to: number;
}

/** Returns the due times from two days before a change until two days after it. */
async function dueTimes(cron: string, { zone, from, to }: Around): Promise<readonly number[]> {
  const next = await nextDueOf({ name: "j", made: 0, cron, time_zone: zone });
  const found: number[] = [];
  for (let at = next(from); at !== undefined && at < to; at = next(at)) found.push(at);
  return found;
}

/**
 * Returns those that all readers of patterns agree about: none of a local time that is left out or
 * twice there.
 */
const certain = (times: readonly number[], { at, by }: Change): readonly string[] =>
  times
    .filter((time) => time < at - Math.abs(by) || time >= at + Math.abs(by))
    .map((time) => new Date(time).toISOString());

/** Undefined if this reader does not come to an end, as with a change by half an hour. */
function byCronParser(cron: string, { zone, from, to }: Around): readonly number[] | undefined {
  try {
    const other = CronExpressionParser.parse(cron, { tz: zone, currentDate: new Date(from) });
    const found: number[] = [];
    for (let at = other.next().getTime(); at < to; at = other.next().getTime()) found.push(at);
    return found;
  } catch {
    return undefined;
  }
}

/** Undefined if systemd itself gives up. */
function bySystemd(calendar: string, { zone, from, to }: Around): readonly number[] | undefined {
  const step = calendar.includes("/15") ? 15 : 60;
  const count = 4 + Math.ceil((to - from) / (step * minute));
  const args = ["calendar", `--base-time=@${from / 1_000}`, `--iterations=${count}`, `${calendar} ${zone}`];
  try {
    const out = execFileSync("systemd-analyze", args, {
      env: { TZ: "UTC", PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
    const times = out.matchAll(/(?:Next elapse|Iter\w*\.? #\d+): \w+ (\S+) (\S+) UTC/g);
    return [...times].map(([, date, time]) => Date.parse(`${date}T${time}Z`)).filter((at) => at < to);
  } catch {
    return undefined;
  }
}

type Check = (pattern: (typeof patterns)[number], around: Around) => Promise<void>;

async function forAll(check: Check): Promise<void> {
  const property = asyncProperty(
    constantFrom(...changes),
    constantFrom(...patterns),
    nat(6),
    (change, pattern, off) =>
      check(pattern, { ...change, from: change.at - 2 * day - off * 7 * minute, to: change.at + 2 * day }),
  );
  await assert(property, { numRuns });
}

test(
  "AGT-11: over both changes of the clock in ten zones a pattern falls due as cron-parser says",
  { timeout: 600_000 },
  async () => {
    expect(new Set(changes.map(({ zone }) => zone)).size).toBe(10);
    let compared = 0;
    await forAll(async ([cron], around) => {
      const theirs = byCronParser(cron, around);
      if (!theirs) return;
      compared += 1;
      const ours = certain(await dueTimes(cron, around), around);
      expect([cron, around.zone, ours]).toEqual([cron, around.zone, certain(theirs, around)]);
    });
    expect(compared).toBeGreaterThan(numRuns / 2);
  },
);

const systemd = programs("systemd-analyze");

test.runIf(systemd.here)(
  `AGT-11: over both changes of the clock in ten zones a pattern falls due as systemd says${systemd.why}`,
  { timeout: 600_000 },
  async () => {
    let compared = 0;
    await forAll(async ([cron, calendar], around) => {
      const theirs = bySystemd(calendar, around);
      if (!theirs) return;
      compared += 1;
      const ours = certain(await dueTimes(cron, around), around);
      expect([cron, around.zone, ours]).toEqual([cron, around.zone, certain(theirs, around)]);
    });
    expect(compared).toBeGreaterThan(numRuns / 2);
  },
);

test("AGT-11: a daily time falls due once a day, at the change if that leaves it out, and at its first if twice there", async () => {
  await forAll(async ([cron], around) => {
    const [minutes, hours, , , weekday] = cron.split(" ");
    if (weekday !== "*" || Number.isNaN(Number(hours))) return;
    const { zone, at, by, from, to } = around;
    const local = localOf(zone);
    const wanted = (Number(hours) * 60 + Number(minutes)) * minute;
    const days = Array.from({ length: 6 }, (_, i) => Math.floor(local(from) / day) * day + i * day);
    const expected = days.map((date) => {
      const before = date + wanted - (local(at - minute) + minute - at);
      if (before < at) return before;
      return Math.max(at, before - by < at ? at : before - by);
    });
    const within = expected.filter((time) => time > from && time < to);
    expect([cron, zone, await dueTimes(cron, around)]).toEqual([cron, zone, within]);
  });
});
