import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { gantry, tempDir } from "../helpers/cli.ts";
import { live, startThinking } from "../helpers/killed-service.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 3 : 40;
const hour = 3_600_000;
/** Two days before summer time ends in Berlin, in a quarter that no due time lies near. */
const begin = Date.parse("2026-10-23T00:45:00Z");

/** Loaded by each life of the service, so that its clock shows another time. */
const clock = `const real = Date;
const by = Number(process.env.CLOCK_IS) - real.now();
globalThis.Date = class extends real {
  constructor(...given) {
    given.length === 0 ? super(real.now() + by) : super(...given);
  }
  static now() {
    return real.now() + by;
  }
};`;

interface Row {
  readonly due: string;
  readonly state: string;
  readonly reason?: string;
}

/** Returns the times of the clock at which lives begin: on by hours, and once by 3 days and back by 2. */
function clocks(): readonly number[] {
  let now = begin;
  return Array.from({ length: kills + 1 }, (_, n) => {
    const at = now;
    now += n === 1 ? 72 * hour : n === 2 ? -48 * hour : (1 + (n % 4)) * hour;
    return at;
  });
}

test(
  "AGT-11: over kill -9 and clocks set on and back each due time comes to exactly one row",
  { timeout: 1_200_000 },
  async () => {
    const asked: string[] = [];
    await using model = await startThinking(async ({ messages }) => {
      const [, due = ""] = /due at (\S+?)\.\]/.exec(messages.at(-1)?.content ?? "") ?? [];
      asked.push(due);
      await wait(Math.random() * 40);
      return "Said.";
    });
    using home = tempDir(
      [
        `default_provider = "${model.provider}"\ndefault_model = "m"`,
        "[gateway]\nport = 0\nrequire_pairing = false",
        '[jobs.hours]\ncron = "0 * * * *"\ntime_zone = "Europe/Berlin"\nprompt = "Say the hour."\n',
      ].join("\n"),
    );
    const preload = path.join(home.dir, "clock.mjs");
    writeFileSync(preload, clock);
    const at = (now: number) => ({
      dir: home.dir,
      env: { NODE_OPTIONS: `--import=${preload}`, CLOCK_IS: String(now) },
    });
    let last = begin;
    let most = begin;
    for (const now of clocks()) {
      last = now;
      most = Math.max(most, now);
      const life = await live(at(now));
      await wait(Math.random() * 150);
      await life.end("SIGKILL");
    }
    last = Math.max(most, last) + hour;
    const life = await live(at(last));
    const rows = async (): Promise<readonly Row[]> =>
      JSON.parse((await gantry(["jobs", "history", "hours", "--json"], at(last))).out) as Row[];
    const due = (n: number): string => new Date(begin + hour / 4 + n * hour).toISOString();
    const expected = Array.from({ length: Math.floor((last - begin) / hour) }, (_, n) => due(n));
    for (let state = "begun"; state === "begun"; state = (await rows()).at(-1)?.state ?? "begun")
      await wait(100);
    await life.end("SIGTERM");
    const all = await rows();
    expect(all.map((row) => row.due)).toEqual(expected);
    const open = all.filter(({ state, reason }) => state === "begun" || (state !== "done" && !reason));
    expect(open).toEqual([]);
    expect(asked.length).toBe(new Set(asked).size);
  },
);
