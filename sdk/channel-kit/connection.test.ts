import { expect, test } from "vitest";
import type { Logger } from "../index.ts";
import { createMemoryStore, fakeClock } from "../testing/index.ts";
import { ChannelHealth, Connection, waitMs, type Trouble } from "./index.ts";
import { pass } from "./clock.test-kit.ts";

interface Rig {
  readonly health: ChannelHealth;
  readonly lines: string[];
}

function rig(values = createMemoryStore().values): Rig {
  const lines: string[] = [];
  const say =
    (level: string) =>
    (_: object, message: string): void => {
      if (level !== "debug") lines.push(`${level}: ${message}`);
    };
  const log: Logger = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  return { health: new ChannelHealth({ channel: "mail", values: () => values, log }), lines };
}

const judge = (error: unknown): Trouble => ({ reason: (error as Error).message });

test("CC-18: each loss is followed by a longer wait, up to a minute, with jitter", () => {
  const trouble = { reason: "gone" };
  const longest = Array.from({ length: 9 }, (_, i) => waitMs(i + 1, trouble, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(waitMs(4, trouble, () => 0)).toBe(4_000);
  expect(waitMs(1, { reason: "busy", leastMs: 5_000 }, () => 0)).toBe(5_000);
  expect(waitMs(9, { reason: "wait", afterMs: 1_221_000 })).toBe(1_221_000);
  const refused = { reason: "refused", refused: true };
  expect([1, 2, 5, 99].map((tries) => waitMs(tries, refused))).toEqual([30_000, 60_000, 300_000, 300_000]);
});

test("CC-18: after a good minute the waits are short again", async () => {
  using clock = fakeClock(0);
  const { health } = rig();
  const began: number[] = [];
  const lengths = [0, 0, 0, 0, 61_000, 0];
  const connection = new Connection({
    health,
    watchdogMs: 1_000_000,
    judge,
    async run(signal) {
      began.push(clock.now());
      const ms = lengths.shift();
      if (ms === undefined) await new Promise((_, reject) => signal.addEventListener("abort", reject));
      else if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      throw new Error("gone");
    },
  });
  connection.start();
  await pass(clock, 120_000);
  const gaps = began.slice(1).map((at, i) => at - (began[i] as number));
  expect(gaps.slice(0, 4).every((gap, i) => gap >= 500 * 2 ** i && gap <= 1_000 * 2 ** i + 500)).toBe(true);
  expect(gaps[4]).toBeLessThanOrEqual(62_500);
  expect(gaps[5]).toBeLessThanOrEqual(2_500);
  const stopped = connection.stop();
  await pass(clock, 10);
  await stopped;
});

test("CC-17: a connection that is up and deaf is made anew, and one that ignores its signal is left behind", async () => {
  using clock = fakeClock(0);
  const { health, lines } = rig();
  let runs = 0;
  const connection = new Connection({
    health,
    watchdogMs: 30_000,
    judge,
    async run(_, alive) {
      runs += 1;
      health.up();
      for (let i = 0; i < 3; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20_000));
        alive();
      }
      await new Promise(() => {});
    },
  });
  connection.start();
  await pass(clock, 89_000);
  expect(runs).toBe(1);
  await pass(clock, 10_000);
  expect(runs).toBe(2);
  expect(lines).toEqual([
    "info: The channel mail is connected.",
    "warn: The channel mail is not connected and tries again: nothing came for 30 s, so the connection is made anew",
    "info: The channel mail is connected.",
  ]);
  const stopped = connection.stop();
  await pass(clock, 6_000);
  await stopped;
});

test("CC-10: a refused account is said once, with its cure, tried again ever more seldom, and its return is noticed", async () => {
  using clock = fakeClock(0);
  const { health, lines } = rig();
  let refuses = true;
  let runs = 0;
  const connection = new Connection({
    health,
    watchdogMs: 1_000_000,
    judge: () => ({ reason: "API error: 401: make a new token", refused: true }),
    async run(signal) {
      runs += 1;
      if (refuses) throw new Error("401");
      health.up();
      await new Promise((_, reject) => signal.addEventListener("abort", reject));
    },
  });
  connection.start();
  await pass(clock, 910_000);
  expect(runs).toBe(6);
  expect(lines).toEqual(["error: API error: 401: make a new token"]);
  expect(await health.row()).toMatchObject({
    state: "fail",
    detail: expect.stringContaining("API error: 401"),
  });
  refuses = false;
  await pass(clock, 310_000);
  expect(lines.at(-1)).toBe("info: The channel mail is connected.");
  const stopped = connection.stop();
  await pass(clock, 10);
  await stopped;
});

test("CC-10: what only another configuration can mend is not tried again, and status goes on saying it", async () => {
  using clock = fakeClock(0);
  const store = createMemoryStore();
  const { health, lines } = rig(store.values);
  let runs = 0;
  const connection = new Connection({
    health,
    watchdogMs: 1_000_000,
    judge: () => ({ reason: "it wants another version", final: true }),
    async run() {
      runs += 1;
      throw new Error("4012");
    },
  });
  connection.start();
  await pass(clock, 4_000_000);
  expect([runs, lines]).toEqual([1, ["error: it wants another version"]]);
  const row = await rig(store.values).health.row();
  expect(row).toMatchObject({ state: "fail", detail: expect.stringContaining("it wants another version") });
  const stopped = connection.stop();
  await pass(clock, 10);
  await stopped;
  expect(health.state).toBe("stopped");
});

test("FLR-09: what cannot hear is ready's warning after 30 s, a refused account's at once, until it has heard for 30 s", async () => {
  using clock = fakeClock(0);
  const { health } = rig();
  const look = async (): Promise<string> => {
    const [row] = await health.ready.run(AbortSignal.timeout(60_000));
    return row ? `${row.what} ${row.state} ${row.detail}` : "";
  };
  const after = async (ms: number): Promise<string> => {
    await clock.advance(ms);
    return look();
  };
  expect(await look()).toBe("");
  health.starts();
  health.up();
  expect(await look()).toBe("channel:mail ok connected");
  expect(await after(30_000)).toBe("channel:mail ok connected");
  health.waits("409: taken");
  expect([await look(), await after(29_000)]).toEqual(["", ""]);
  expect(await after(1_000)).toBe("channel:mail warn 409: taken");
  // It comes and goes, as two programs that take turns do.
  health.up();
  expect(await after(29_000)).toBe("channel:mail warn 409: taken");
  health.waits("409: again");
  expect(await look()).toBe("channel:mail warn 409: again");
  health.up();
  expect(await after(30_000)).toBe("channel:mail ok connected");
  health.waits("nothing came for 30 s", 30_000);
  expect(await look()).toBe("channel:mail warn nothing came for 30 s");
  health.up();
  await clock.advance(30_000);
  health.refused("401: make a new token");
  expect(await look()).toBe("channel:mail warn 401: make a new token");
  await health.stopped();
  expect(await look()).toBe("");
});

test("CC-17: a wait of many minutes is not taken for a service that does not run", async () => {
  using clock = fakeClock(0);
  const store = createMemoryStore();
  const { health } = rig(store.values);
  const connection = new Connection({
    health,
    watchdogMs: 1_000_000,
    judge: () => ({ reason: "come back later", afterMs: 3_600_000 }),
    run: async () => Promise.reject(new Error("later")),
  });
  connection.start();
  await pass(clock, 1_200_000);
  expect(await rig(store.values).health.row()).toMatchObject({
    state: "fail",
    detail: expect.stringContaining("come back later (for 20 min"),
  });
  const stopped = connection.stop();
  await pass(clock, 10);
  await stopped;
});

test("CC-17: a service that begins to connect is not taken for one that does not run, also when it was stopped before", async () => {
  using clock = fakeClock(0);
  const store = createMemoryStore();
  await rig(store.values).health.stopped();
  const { health } = rig(store.values);
  const connection = new Connection({
    health,
    watchdogMs: 1_000_000,
    judge: () => ({ reason: "it never ends" }),
    run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  connection.start();
  await pass(clock, 30_000);
  expect(await rig(store.values).health.row()).toMatchObject({ state: "warn", detail: "connecting" });
  const stopped = connection.stop();
  await pass(clock, 10);
  await stopped;
});

test("CC-17: what is wrong beside a connection that works is said once in the log, and in status for an hour", async () => {
  using clock = fakeClock(1_000_000);
  const store = createMemoryStore();
  const { health, lines } = rig(store.values);
  health.up();
  health.notices("another program runs: end it");
  health.notices("another program runs: end it");
  expect(lines).toEqual(["info: The channel mail is connected.", "warn: another program runs: end it"]);
  await pass(clock, 1);
  expect(await rig(store.values).health.row()).toMatchObject({
    state: "warn",
    detail: "connected for 0 s; no event yet; another program runs: end it",
  });
  await pass(clock, 3_700_000);
  health.up();
  await pass(clock, 1);
  expect(await rig(store.values).health.row()).toMatchObject({ state: "ok" });
});

test("CC-17: the age of the last event is seen from another process, and whether a service runs at all", async () => {
  using clock = fakeClock(1_000_000);
  const store = createMemoryStore();
  const serving = rig(store.values).health;
  const asking = rig(store.values).health;
  expect(await asking.row()).toMatchObject({ state: "warn", detail: "never connected" });
  serving.up();
  serving.event();
  await pass(clock, 31_000);
  serving.up();
  await pass(clock, 1);
  expect(await asking.row()).toMatchObject({
    state: "ok",
    detail: "connected for 31 s; last event 31 s ago",
  });
  await pass(clock, 200_000);
  expect(await asking.row()).toMatchObject({ state: "warn", cure: "run `gantry daemon`" });
});

test("CC-17: a channel of a process that was killed is told as such at once, one of another container by its silence", async () => {
  const store = createMemoryStore();
  const { health } = rig(store.values);
  health.up();
  await expect.poll(() => health.row()).toMatchObject({ state: "ok" });
  const value = (await store.values.get<{ readonly by: string }>("channel.health", "mail")) ?? { by: "" };
  const gone = value.by.replace(/^\d+/, "4194304");
  await store.values.put("channel.health", "mail", { ...value, by: gone });
  expect(await health.row()).toMatchObject({
    state: "warn",
    detail: expect.stringContaining("no service runs"),
  });
  await store.values.put("channel.health", "mail", { ...value, by: `${gone}-elsewhere` });
  expect(await health.row()).toMatchObject({ state: "ok" });
});

test("CC-17: a store that fails stops no channel", async () => {
  const values = { ...createMemoryStore().values, put: () => Promise.reject(new Error("disk full")) };
  const { health } = rig(values);
  health.up();
  health.waits("gone");
  await health.stopped();
  expect(health.state).toBe("stopped");
});
