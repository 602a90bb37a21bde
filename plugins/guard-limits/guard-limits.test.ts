import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, defineTool, refuse, Store, Tools } from "@gantry/sdk";
import { createMemoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const clock = definePlugin({
  name: "tool-clock",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const input = Type.Object({ zone: Type.Optional(Type.String()) });
    host.provide(
      Tools,
      defineTool({ name: "clock", description: "Tells the time.", input, run: async () => "noon" }),
    );
    host.hooks.beforeToolCall.tap(({ args }) =>
      args["zone"] === "Mars" ? refuse({ code: "CLOCK_MARS", message: "No Mars." }) : undefined,
    );
  },
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const start = (security: object, configDir?: string): Promise<TestHost> =>
  startTestHost({
    plugins: [plugin, store, clock],
    config: { security },
    ...(configDir !== undefined && { configDir }),
  });
const act = (t: TestHost, user = "cli:owner", args = {}) => t.call("clock", args, { user });
const at = (ms: number): void => void vi.setSystemTime(NOW + ms);

test("SEC-08: a user's actions in a minute are limited, and the refusal says when to try again", async () => {
  await using t = await start({ rate_limit_per_minute: 2 });
  await act(t);
  at(10_000);
  await act(t);
  at(17_500);
  expect(await act(t)).toEqual({
    decision: "refused",
    code: "LIMIT_REACHED",
    text: "cli:owner has done 2 actions in the last minute, which is all that security.rate_limit_per_minute allows: try again in 43 s, at 2026-01-01T12:01:00.000Z.",
  });
  at(59_999);
  expect(await act(t)).toMatchObject({ decision: "refused" });
  at(60_000);
  expect(await act(t)).toMatchObject({ decision: "allowed" });
});

test("SEC-08: there is no burst at a window's edge", async () => {
  await using t = await start({ rate_limit_per_minute: 5 });
  const allowed: number[] = [];
  for (let ms = 0; ms < 5 * MINUTE; ms += 1_000) {
    at(ms);
    for (let n = 0; n < 2; n++) if ((await act(t)).decision === "allowed") allowed.push(ms);
  }
  for (const from of allowed)
    expect(allowed.filter((ms) => ms >= from && ms < from + MINUTE).length).toBeLessThanOrEqual(5);
  expect(allowed.length).toBe(25);
});

test.each([
  ["max_actions_per_hour", HOUR, "hour"],
  ["max_actions_per_day", 24 * HOUR, "day"],
])("SEC-08: %s counts over its own span", async (key, ms, span) => {
  await using t = await start({ [key]: 3 });
  for (const part of [0, 0.3, 0.6]) {
    at(part * ms);
    expect(await act(t)).toMatchObject({ decision: "allowed" });
  }
  at(ms - 1);
  expect(await act(t)).toMatchObject({
    code: "LIMIT_REACHED",
    text: expect.stringMatching(`in the last ${span}.*security.${key}.*in 1 s`),
  });
  at(ms);
  expect(await act(t)).toMatchObject({ decision: "allowed" });
});

test("SEC-08: each user has limits of their own, and actions at once share them", async () => {
  await using t = await start({ rate_limit_per_minute: 3 });
  const all = await Promise.all(Array.from({ length: 10 }, () => act(t)));
  expect(all.filter(({ decision }) => decision === "allowed")).toHaveLength(3);
  expect(await act(t, "chatapp:+15550100")).toMatchObject({ decision: "allowed" });
});

test("SEC-08: what another guard refuses is not counted, nor what the limit itself refuses", async () => {
  await using t = await start({ rate_limit_per_minute: 1 });
  for (let n = 0; n < 5; n++)
    expect(await act(t, "cli:owner", { zone: "Mars" })).toMatchObject({ code: "CLOCK_MARS" });
  await act(t);
  for (let n = 0; n < 5; n++) expect(await act(t)).toMatchObject({ code: "LIMIT_REACHED" });
  at(MINUTE);
  expect(await act(t)).toMatchObject({ decision: "allowed" });
});

test("SEC-08: explaining counts nothing and still tells that the limit is reached", async () => {
  await using t = await start({ rate_limit_per_minute: 1 });
  const explained = async () =>
    (await t.explain("clock", {})).find(({ by }) => by === "guard-limits")?.outcome;
  for (let n = 0; n < 3; n++) expect(await explained()).toBeUndefined();
  expect(await act(t, "cli:test")).toMatchObject({ decision: "allowed" });
  expect(await explained()).toMatchObject({ verdict: "refuse", code: "LIMIT_REACHED" });
});

test("SEC-08: limits survive a restart", async () => {
  const configDir = await mkdtemp(join(tmpdir(), "gantry-limits-"));
  {
    await using t = await start({ max_actions_per_hour: 1 }, configDir);
    await act(t);
  }
  at(MINUTE);
  {
    await using t = await start({ max_actions_per_hour: 1 }, configDir);
    expect(await act(t)).toMatchObject({ code: "LIMIT_REACHED" });
  }
  await rm(configDir, { recursive: true });
});

test("SEC-08: a store that cannot count refuses", async () => {
  const whole = createMemoryStore();
  const limits = { ...whole.limits, hit: () => Promise.reject(new Error("disk full")) };
  const broken = definePlugin({
    name: "store-broken",
    provides: [Store],
    setup: (host) => host.provide(Store, { ...whole, limits }),
  });
  await using t = await startTestHost({ plugins: [plugin, broken, clock] });
  expect(await act(t)).toMatchObject({
    decision: "refused",
    code: "HOOK_FAILED",
    text: expect.stringContaining("guard-limits"),
  });
});
