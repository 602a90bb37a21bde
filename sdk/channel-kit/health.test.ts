import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemoryStore } from "../testing/index.ts";
import { ChannelHealth } from "./index.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

function channel() {
  const { values } = createMemoryStore();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const health = new ChannelHealth({ channel: "mail", values: () => values, log });
  /** Returns the states of `GET /ready`, one each second. */
  const states = async (seconds: number) => {
    const seen = new Set<string>();
    for (let i = 0; i < seconds; i += 1) {
      for (const { state } of await health.ready.run(new AbortController().signal)) seen.add(state);
      vi.setSystemTime(Date.now() + 1_000);
    }
    return [...seen];
  };
  return { health, states };
}

test("FLR-09: a channel that connects soon after its start is never told as lost", async () => {
  const { health, states } = channel();
  health.starts();
  await states(2);
  health.up();
  expect(await states(90)).toEqual(["ok"]);
});

test("FLR-09: one short loss of a channel is not told", async () => {
  const { health, states } = channel();
  health.starts();
  health.up();
  await states(60);
  health.waits("cut");
  await states(2);
  health.up();
  expect(await states(90)).toEqual(["ok"]);
});

test("FLR-09: a channel that comes and goes is told until it has held for 30 s", async () => {
  const { health, states } = channel();
  health.starts();
  health.up();
  await states(60);
  for (let i = 0; i < 8; i += 1) {
    health.waits("cut");
    await states(5);
    health.up();
    await states(5);
  }
  expect(await states(20)).toEqual(["warn"]);
  await states(20);
  expect(await states(1)).toEqual(["ok"]);
});
