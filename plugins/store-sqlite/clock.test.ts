import { directMessage } from "@gantry/sdk";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createStore } from "./store.ts";

const DAY = 86_400_000;

/** A machine whose clock is set by hand, and the processes on it. */
function machine() {
  const home = mkdtempSync(join(tmpdir(), "gantry-store-"));
  const state = { time: 1_800_000_000_000, steady: 1_000 };
  const clock = { now: () => state.time, steady: () => state.steady };
  const told: number[] = [];
  const opened: { close(): Promise<void> }[] = [];
  onTestFinished(async () => {
    for (const { close } of opened) await close();
    rmSync(home, { recursive: true });
  });
  return {
    told,
    process() {
      const one = createStore(join(home, "gantry.db"), { clock, onClockSet: (ms) => told.push(ms) });
      opened.push(one);
      return one.store.lanes;
    },
    pass(ms: number) {
      state.time += ms;
      state.steady += ms;
    },
    set: (ms: number) => void (state.time += ms),
  };
}

const message = (id: string) => directMessage({ channel: "t", id, from: id, text: "hello" });

test.each([400 * DAY, -30 * DAY])(
  "INB-01: a clock that is set by %i ms in the middle of a turn ends no lease, and makes nothing older or later due",
  async (step) => {
    const { process, pass, set, told } = machine();
    const lanes = process();
    await lanes.accept(["1", "2", "3"].map(message));
    const [first, second, third] = await lanes.claim(3, 60_000);
    await lanes.retry(second!, { afterMs: 5_000, reason: "busy", tried: true });
    await lanes.retry(third!, { afterMs: 0, reason: "busy" });
    const [held] = await lanes.claim(1, 60_000);
    pass(1_000);
    set(step);
    expect(await lanes.claim(9, 60_000)).toEqual([]);
    expect(await lanes.dueIn()).toBe(4_000);
    expect(told).toEqual([step]);
    pass(4_000);
    const [again] = await lanes.claim(9, 60_000);
    expect([again?.message.id, again?.ageMs, again?.triedMsAgo]).toEqual(["2", 5_000, 5_000]);
    await lanes.ack(first!);
    expect(await lanes.renew(held!, 60_000)).toBe(true);
    expect(await lanes.dueIn()).toBe(60_000);
  },
);

test("INB-01: of several processes that notice that the clock was set one moves what waits, and each time anew", async () => {
  const { process, pass, set, told } = machine();
  const all = [process(), process(), process()];
  await all[0]!.accept([message("1")]);
  const [claim] = await all[0]!.claim(1, 60_000);
  for (const step of [DAY, -DAY, 3 * DAY]) {
    set(step);
    expect(await Promise.all(all.map((lanes) => lanes.dueIn()))).toEqual([60_000, 60_000, 60_000]);
  }
  expect(told).toEqual([DAY, -DAY, 3 * DAY]);
  pass(60_000);
  expect((await all[1]!.claim(1, 60_000))[0]?.message.id).toBe("1");
  await expect(all[0]!.ack(claim!)).rejects.toMatchObject({ code: "LEASE_LOST" });
});
