import { expect, onTestFinished, test, vi } from "vitest";
import { simulateTime } from "../../test/helpers/waiting.ts";
import { errors as common } from "@gantry/sdk";
import type { ChatRequest, ProviderEvent, Store } from "@gantry/sdk";
import plugin from "./index.ts";
import { fail, routed, run, scripted, stop, text, words } from "./scripted.test-kit.ts";

const quick = (id: string, more: object = {}) => ({
  [id]: { max_retries: 2, retry_backoff_ms: 1, timeout_seconds: 120, ...more },
});
const fine: ProviderEvent[] = [text("hel"), text("lo"), stop];

test("PRV-10: a provider that fails for a moment is asked again, and the person sees one answer", async () => {
  const a = scripted("a", [[fail(503)], [fail(429)], fine]);
  const { router } = routed({ providers: quick("a") });
  expect(await run(router, [a.provider])).toEqual([{ type: "served", provider: "a", model: "m" }, ...fine]);
  expect(a.asked).toHaveLength(3);
});

test.each([
  [0, 1],
  [4, 5],
])("PRV-10: max_retries %d means %d requests", async (max_retries, requests) => {
  const a = scripted("a", [[fail(500)]]);
  const { router } = routed({ providers: quick("a", { max_retries }) });
  expect((await run(router, [a.provider])).at(-1)).toMatchObject({ type: "error", failure: { status: 500 } });
  expect(a.asked).toHaveLength(requests);
});

test("PRV-10: retry_backoff_ms is the first wait, with jitter, and it doubles", async () => {
  const a = scripted("a", [[fail(500)], [fail(500)], [fail(500)], fine]);
  const { router, logs } = routed({ providers: quick("a", { retry_backoff_ms: 16, max_retries: 3 }) });
  await run(router, [a.provider]);
  const delays = logs.filter((line) => "delay" in line.detail).map((line) => Number(line.detail["delay"]));
  expect(delays).toHaveLength(3);
  for (const [at, delay] of delays.entries()) {
    expect(delay).toBeGreaterThanOrEqual(8 * 2 ** at);
    expect(delay).toBeLessThanOrEqual(16 * 2 ** at);
  }
});

test("PRV-10: Retry-After is honoured where it is longer than the backoff", async () => {
  const a = scripted("a", [[fail(429, { retryAfterMs: 60 })], fine]);
  const { router } = routed({ providers: quick("a") });
  const before = performance.now();
  expect(words(await run(router, [a.provider]))).toBe("hello");
  expect(performance.now() - before).toBeGreaterThanOrEqual(59);
});

test("PRV-10: a Retry-After beyond a minute is not waited for: the fallback serves", async () => {
  const a = scripted("a", [[fail(429, { retryAfterMs: 3_600_000 })]]);
  const b = scripted("b", [fine]);
  const { router } = routed({ providers: quick("a"), fallbacks: ["b"] });
  expect(words(await run(router, [a.provider, b.provider]))).toBe("hello");
  expect(a.asked).toHaveLength(1);
});

test.each([400, 401, 403, 404, 413])("PRV-10: HTTP %d is not asked again", async (status) => {
  const a = scripted("a", [[fail(status)]]);
  await run(routed({ providers: quick("a") }).router, [a.provider]);
  expect(a.asked).toHaveLength(1);
});

test("PRV-10: nothing is asked again after text was shown, and the error is the last event", async () => {
  const a = scripted("a", [[text("half"), fail(500)], fine]);
  const b = scripted("b", [fine]);
  const events = await run(routed({ providers: quick("a"), fallbacks: ["b"] }).router, [
    a.provider,
    b.provider,
  ]);
  expect(events.slice(1)).toEqual([text("half"), fail(500)]);
  expect([a.asked.length, b.asked.length]).toEqual([1, 0]);
});

test("PRV-10: a failure after thoughts alone is asked again, and those of the failed try are not told", async () => {
  const [hm, aha] = ["hm", "aha"].map((text): ProviderEvent => ({ type: "thought", text }));
  const a = scripted("a", [
    [hm!, fail(503)],
    [aha!, ...fine],
  ]);
  const events = await run(routed({ providers: quick("a") }).router, [a.provider]);
  expect(events.slice(1)).toEqual([aha, ...fine]);
});

test("PRV-11: nothing falls back after a tool call was handed on", async () => {
  const call: ProviderEvent = { type: "tool_call", call: { id: "1", name: "shell", args: "{}" } };
  const a = scripted("a", [[call, fail(500)]]);
  const b = scripted("b", [fine]);
  const events = await run(routed({ providers: quick("a"), fallbacks: ["b"] }).router, [
    a.provider,
    b.provider,
  ]);
  expect(events.slice(1)).toEqual([call, fail(500)]);
  expect(b.asked).toHaveLength(0);
});

test("PRV-10: timeout_seconds bounds the silence of a stream, before and between its pieces", async () => {
  const a = scripted("a", [["hang"]]);
  const b = scripted("b", [[text("x"), "hang"]]);
  const providers = {
    ...quick("a", { timeout_seconds: 0.02, max_retries: 0 }),
    ...quick("b", { timeout_seconds: 0.02 }),
  };
  const events = await run(routed({ providers, fallbacks: ["b"] }).router, [a.provider, b.provider]);
  expect(events.map((event) => event.type)).toEqual(["served", "served", "text", "error"]);
  expect(events.at(-1)).toMatchObject({ failure: { code: "PROVIDER_TIMEOUT" } });
  expect(a.asked[0]?.signal.aborted).toBe(true);
});

test("PRV-15: an answer without end is cut off, one without a reason is an error, and nothing follows the end", async () => {
  const endless = scripted("a", []);
  endless.provider.chat = async function* () {
    for (;;) yield text("x".repeat(100_000));
  };
  const silent = scripted("b", []);
  silent.provider.chat = async function* () {
    for (;;) yield text("");
  };
  const { router } = routed({
    providers: { ...quick("a"), ...quick("b"), ...quick("c", { max_retries: 0 }) },
  });
  expect((await run(router, [endless.provider])).at(-1)).toMatchObject({
    failure: { code: "PROVIDER_TOO_LARGE" },
  });
  expect((await run(router, [silent.provider])).at(-1)).toMatchObject({
    failure: { code: "PROVIDER_TOO_LARGE" },
  });
  expect((await run(router, [scripted("c", [[text("a")]]).provider])).at(-1)).toMatchObject({
    failure: { code: "PROVIDER_MALFORMED" },
  });
  expect(
    (await run(router, [scripted("d", [[...fine, text("more"), fail(500)]]).provider])).slice(1),
  ).toEqual(fine);
});

test("PRV-15: what a provider throws becomes an event that quotes only coded errors", async () => {
  const secret = scripted("a", [[new Error("https://x/?key=CANARY")]]);
  const coded = scripted("b", [[common.PROVIDER_NO_KEY("b", "set B_KEY")]]);
  const { router } = routed({ providers: quick("a", { max_retries: 0 }) });
  const events = await run(router, [secret.provider]);
  expect(events.at(-1)).toMatchObject({ failure: { code: "PROVIDER_MALFORMED" } });
  expect(JSON.stringify(events)).not.toContain("CANARY");
  expect((await run(router, [coded.provider])).at(-1)).toMatchObject({
    failure: { code: "PROVIDER_NO_KEY" },
  });
});

test.each([401, 403, 404, 429, 500, undefined])(
  "PRV-11: after HTTP %s the fallbacks are tried in order, and the answer says who served",
  async (status) => {
    const a = scripted("a", [[fail(status)]]);
    const b = scripted("b", [[fail(401)]]);
    const c = scripted("c", [fine]);
    const { router } = routed({
      providers: { ...quick("a"), ...quick("b") },
      fallbacks: ["a", "b", "c", "d"],
    });
    const events = await run(router, [a.provider, b.provider, c.provider]);
    expect(events.filter((event) => event.type === "served").map((event) => event.provider)).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(words(events)).toBe("hello");
  },
);

test("PRV-11: a request that is wrong in itself is not carried to another provider", async () => {
  const b = scripted("b", [fine]);
  const events = await run(routed({ fallbacks: ["b"] }).router, [
    scripted("a", [[fail(400, { retry: false })]]).provider,
    b.provider,
  ]);
  expect(events.at(-1)).toMatchObject({ type: "error", failure: { status: 400 } });
  expect(b.asked).toHaveLength(0);
});

test("PRV-11: where all fail, the first failure leads and the others are told, an unknown name among them", async () => {
  const { router } = routed({ providers: { ...quick("a"), ...quick("b") }, fallbacks: ["b", "gone"] });
  const events = await run(router, [
    scripted("a", [[fail(401)]]).provider,
    scripted("b", [[fail(500)]]).provider,
  ]);
  const last = events.at(-1);
  expect(last).toMatchObject({ type: "error", failure: { code: "CODE_401", status: 401 } });
  expect(last?.type === "error" && last.failure.message).toMatch(
    /401.*b: It failed with 500.*gone: No plugin serves/,
  );
});

test("PRV-11: a fallback that does not know the model is asked for its own", async () => {
  const b = scripted("b", [[fail(404)], fine]);
  const events = await run(routed({ fallbacks: ["b"] }).router, [
    scripted("a", [[fail(401)]]).provider,
    b.provider,
  ]);
  expect(b.asked.map(({ model }) => model)).toEqual(["m", undefined]);
  expect(events.filter((event) => event.type === "served").at(-1)).toEqual({
    type: "served",
    provider: "b",
    model: undefined,
  });
});

test("ERR-01: `No provider configured` where nobody answers and nothing is configured", async () => {
  const events = await run(routed({}).router, []);
  expect(events.at(-1)).toMatchObject({
    failure: { code: "NO_PROVIDER", message: expect.stringContaining("No provider configured") },
  });
});

test("PRV-10: cancel ends a request and a wait at once, with nothing after it", async () => {
  // No time passes, so nothing but the cancel ends them.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const script of [[["hang" as const]], [[fail(429, { retryAfterMs: 30_000 })]]]) {
    const a = scripted("a", script);
    const b = scripted("b", [fine]);
    const cancel = new AbortController();
    const { router } = routed({ providers: quick("a"), fallbacks: ["b"] });
    const events = run(router, [a.provider, b.provider], { signal: cancel.signal });
    await expect.poll(() => a.asked.length).toBe(1);
    await new Promise(setImmediate);
    cancel.abort();
    expect((await events).at(-1)).toMatchObject({ type: "error", failure: { code: "PROVIDER_CANCELLED" } });
    expect([a.asked.length, b.asked.length]).toEqual([1, 0]);
  }
});

test("PRV-11: a turn that is cancelled while a fallback is asked was cancelled, whatever failed before", async () => {
  const a = scripted("a", [[fail(401)]]);
  const b = scripted("b", [["hang"]]);
  const { router } = routed({ fallbacks: ["b"] });
  const cancel = new AbortController();
  const provider = {
    ...b.provider,
    chat: (request: ChatRequest) => (cancel.abort(), b.provider.chat(request)),
  };
  const events = await run(router, [a.provider, provider], { signal: cancel.signal });
  expect(events.at(-1)).toMatchObject({ type: "error", failure: { code: "PROVIDER_CANCELLED" } });
});

function memoryValues(): Store {
  const map = new Map<string, unknown>();
  return {
    values: {
      get: async (_: string, key: string) => map.get(key),
      put: async (_: string, key: string, value: unknown) => void map.set(key, value),
      remove: async (_: string, key: string) => map.delete(key),
      list: async () => [...map].map(([key, value]) => ({ key, value })),
    },
  } as unknown as Store;
}

test("PRV-10: a provider that keeps failing is left alone, tried again later, and welcomed back", async () => {
  using _ = simulateTime();
  const store = memoryValues();
  const scripts = [...Array.from({ length: 6 }, () => [fail(503)]), fine];
  const a = scripted("a", scripts);
  const providers = quick("a", { max_retries: 0 });
  const { router, circuits } = routed({ providers }, store, { firstMs: 1_000, longestMs: 10_000 });
  for (let request = 0; request < 5; request++) await run(router, [a.provider]);
  const refused = await run(router, [a.provider]);
  expect(a.asked).toHaveLength(5);
  expect(refused.at(-1)).toMatchObject({
    failure: { code: "ROUTER_COOLING", message: expect.stringContaining("It failed with 503") },
  });
  expect(router.cooling()).toMatchObject([{ provider: "a", reason: "It failed with 503" }]);

  const b = scripted("b", [fine]);
  expect(
    words(await run(routed({ providers, fallbacks: ["b"] }, store).router, [a.provider, b.provider])),
  ).toBe("hello");
  expect(a.asked, "another process sees the pause too").toHaveLength(5);

  vi.setSystemTime(Date.now() + 1_001);
  await run(router, [a.provider]);
  expect(a.asked, "one trial, which fails and doubles the pause").toHaveLength(6);
  vi.setSystemTime(Date.now() + 1_500);
  await run(router, [a.provider]);
  expect(a.asked).toHaveLength(6);
  vi.setSystemTime(Date.now() + 600);
  expect(words(await run(router, [a.provider]))).toBe("hello");
  expect(router.cooling()).toEqual([]);
  expect(await circuits.shared()).toEqual([]);
});

test("PRV-10: a trial that hears nothing does not keep others from trying, and cancelled it shows nothing", async () => {
  const fails = Array.from({ length: 5 }, () => [fail(503)]);
  const a = scripted("a", [...fails, ["hang"], ["hang"], fine]);
  const { router } = routed({ providers: quick("a", { max_retries: 0 }) }, undefined, {
    firstMs: 1,
    longestMs: 1,
  });
  for (let request = 0; request < 5; request++) await run(router, [a.provider]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const cancel = new AbortController();
  const hung = [run(router, [a.provider], { signal: cancel.signal })];
  expect((await run(router, [a.provider])).at(-1)).toMatchObject({ failure: { code: "ROUTER_COOLING" } });
  const later = performance.now() + 10_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
  onTestFinished(() => clock.mockRestore());
  hung.push(run(router, [a.provider], { signal: cancel.signal }));
  await vi.waitUntil(() => a.asked.length === 7);
  cancel.abort();
  for (const events of await Promise.all(hung))
    expect(events.at(-1)).toMatchObject({ failure: { code: "PROVIDER_CANCELLED" } });
  expect(words(await run(router, [a.provider]))).toBe("hello");
  expect(a.asked).toHaveLength(8);
});

test("PRV-10: turns that fail beside each other each get their own failure, also where it opens the circuit", async () => {
  const a = scripted("a", [[fail(503)]]);
  const { router } = routed({ providers: quick("a", { max_retries: 1 }) });
  const ends = await Promise.all(Array.from({ length: 12 }, () => run(router, [a.provider])));
  expect(
    new Set(ends.map((events) => (events.at(-1) as Extract<ProviderEvent, { type: "error" }>).failure.code)),
  ).toEqual(new Set(["CODE_503"]));
});

test("PRV-10: a wrong key does not open the circuit, so mending it helps at once", async () => {
  const a = scripted("a", [...Array.from({ length: 8 }, () => [fail(401)]), fine]);
  const { router } = routed({ providers: quick("a") });
  for (let request = 0; request < 8; request++) await run(router, [a.provider]);
  expect(words(await run(router, [a.provider]))).toBe("hello");
});

test("PRV-10: a store that fails hurts no turn", async () => {
  const broken = {
    values: new Proxy({}, { get: () => async () => Promise.reject(new Error("disk full")) }),
  } as unknown as Store;
  const { router, logs } = routed({}, broken);
  expect(words(await run(router, [scripted("a", [fine]).provider]))).toBe("hello");
  expect(logs.some(({ level }) => level === "warn")).toBe(true);
});

test("PRV-10: `status` shows who is left alone, until when and why", async () => {
  const provided = new Map<string, unknown>();
  const store = memoryValues();
  const until = new Date(Date.now() + 60_000).toISOString();
  await store.values.put("provider-cooling", "a", { provider: "a", until, reason: "It failed with 503." });
  const config = { reliability: { fallback_providers: [] }, providers: {} };
  void plugin.setup({
    config,
    needs: { store },
    log: {},
    provide: (slot: { id: string }, value: unknown) => provided.set(slot.id, value),
  } as never);
  const check = provided.get("checks") as { kind: string; run(signal: AbortSignal): Promise<unknown> };
  expect(check.kind).toBe("status");
  expect(await check.run(new AbortController().signal)).toMatchObject([
    { what: "provider a", state: "warn", detail: `left alone until ${until}: It failed with 503.` },
  ]);
});
