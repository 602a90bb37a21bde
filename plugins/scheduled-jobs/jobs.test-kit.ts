import { Commands, type CommandContext, type Plugin } from "@gantry/sdk";
import {
  bundledPlugin,
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { afterEach, beforeEach, expect, vi } from "vitest";
import plugin from "./index.ts";
import type { JobRun } from "./job.ts";
import { JobShelf } from "./shelf.ts";

export const hour = 3_600_000;
export const begin = Date.parse("2026-11-23T08:00:00Z");

/** Lets each test of a file have a clock of its own. */
export function withFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: begin });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

type Replies = Parameters<typeof fakeProvider>[0];

/** Lets time pass, and what falls due in it. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Starts a host with jobs, a model and a channel. */
export async function start(
  replies: Replies = ["ok"],
  jobs: Record<string, unknown> = {},
  store = createMemoryStore(),
  autonomy_level = "supervised",
  owners?: readonly string[],
  others: readonly Plugin[] = [],
  people: object = {},
) {
  const model = fakeProvider(replies);
  const channel = fakeChannel("fake", { ...(owners && { owners }) });
  const autonomy = await bundledPlugin("guard-autonomy");
  const t = await startTestHost({
    plugins: [plugin, model, channel, autonomy, memoryStore(store), ...others],
    config: { jobs, people, agent: { autonomy_level } },
  });
  const shelf = new JobShelf(() => store, []);
  const out: string[] = [];
  const run = async (name: string, args: readonly string[] = [], options: CommandContext["options"] = {}) => {
    out.length = 0;
    const line = (text: string): void => void out.push(text);
    const context = { args, options, out: line, err: line, interactive: false, serve: async () => 0 };
    const signal = new AbortController().signal;
    return t
      .slot(Commands)
      .get(`jobs ${name}`)
      ?.run({ ...context, signal });
  };
  const rows = async (name: string): Promise<readonly JobRun[]> => shelf.runs(name);
  const states = async (name: string) =>
    (await rows(name)).map(({ due, state }) => `${due.slice(11, 16)} ${state}`);
  const settled = (name: string, count: number) =>
    vi.waitFor(async () => {
      await pass(1_000);
      const ended = (await rows(name)).filter(({ state }) => state !== "begun");
      expect(ended).toHaveLength(count);
    });
  return Object.assign(t, { run, out, rows, states, settled, model, channel, store, shelf });
}
export const hourly = { cron: "0 * * * *", time_zone: "UTC", prompt: "Say the hour." };
/** An answer that makes a job. */
export const add = (args: object) => ({ calls: [{ name: "schedule_add", args }] });
export const water = { name: "water", prompt: "Remind me of the plants.", at: "2026-11-24T09:00Z" };
