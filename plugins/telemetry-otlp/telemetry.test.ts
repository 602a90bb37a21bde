import {
  Checks,
  definePlugin,
  directMessage,
  Inbox,
  Meters,
  type Plugin,
  type Route,
  Routes,
} from "@gantry/sdk";
import {
  callRoute,
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { afterEach, expect, test, vi } from "vitest";
import { storeFile } from "../../test/helpers/stores.ts";
import { tool } from "../../test/helpers/plugins.ts";
import metrics from "../metrics-prometheus/index.ts";
import net from "../net-undici/index.ts";
import { CollectorForTests, plain } from "./collector.test-kit.ts";
import { stopSoon } from "../../test/helpers/waiting.ts";
import plugin from "./index.ts";

const given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const note = tool("note", () => Promise.resolve("ok"));
const calls = { calls: [{ name: "note", args: {} }] };

afterEach(() => vi.unstubAllEnvs());

interface Given {
  readonly telemetry?: object;
  readonly traceparent?: string;
  readonly text?: string;
  readonly plugins?: readonly Plugin[];
  readonly store?: Plugin;
}

/** Runs one turn that calls a tool, and stops, so that everything has been sent. */
async function oneTurn(
  collector: CollectorForTests,
  { telemetry, traceparent = given, text = "go", plugins: more = [], store = memoryStore() }: Given = {},
) {
  const plugins = [net, plugin, note, ...more, fakeProvider([calls, "done"]), store];
  const t = await startTestHost({
    plugins,
    config: { telemetry: { otlp_url: collector.url, ...telemetry } },
  });
  const message = directMessage({ channel: "cli", id: "1", from: "ada", text, trust: "owner" });
  const { signal } = new AbortController();
  await t.slot(Inbox).prompt({ ...message, traceparent }, { signal, approvals: "none" });
  await t.stop();
  return t;
}

test("TEL-01: a turn, its model requests and its tool calls are spans of the trace that came in", async () => {
  await using collector = await CollectorForTests.start();
  await oneTurn(collector);
  const [turn] = collector.spans.filter(({ name }) => name === "invoke_agent");
  const below = collector.spans.filter(({ name }) => name !== "invoke_agent");
  expect(turn).toMatchObject({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    parentSpanId: "b7ad6b7169203331",
  });
  expect(below.map(({ name }) => name.split(" ")[0])).toEqual(["chat", "execute_tool", "chat"]);
  for (const span of below)
    expect(span).toMatchObject({ traceId: turn?.traceId, parentSpanId: turn?.spanId });
});

test("TEL-01: status tells of another process where telemetry goes, when it was taken, and why not", async () => {
  const kept = storeFile();
  const status = async (url: string): Promise<unknown> => {
    const t = await startTestHost({
      plugins: [net, plugin, kept.plugin()],
      config: { telemetry: { otlp_url: url.replace("//", "//me:CANARY@") } },
    });
    const rows = await t.slot(Checks).get("telemetry-otlp")!.run(new AbortController().signal);
    await t.stop();
    return rows;
  };
  const collector = await CollectorForTests.start();
  const nothing = `to ${collector.url}, nothing was taken since its start; spans dropped: 0`;
  expect(await status(collector.url)).toEqual([{ what: "telemetry", state: "ok", detail: nothing }]);
  await oneTurn(collector, { store: kept.plugin() });
  const taken = expect.stringMatching(/, last taken 20[\d:T.-]+Z; spans dropped: 0$/) as string;
  expect(await status(collector.url)).toEqual([{ what: "telemetry", state: "ok", detail: taken }]);
  collector.next = (response) => response.writeHead(400).end();
  await oneTurn(collector, { store: kept.plugin() });
  const dropped = expect.stringMatching(/last taken 20[\d:T.-]+Z; spans dropped: 4$/) as string;
  expect(await status(collector.url)).toMatchObject([{ state: "ok", detail: dropped }]);
  const { url } = collector;
  await collector[Symbol.asyncDispose]();
  await oneTurn({ url } as CollectorForTests, { store: kept.plugin() });
  const away = expect.stringMatching(
    /nothing was taken since its start; it fails since \(\w+\); spans dropped: \d+$/,
  ) as string;
  expect(await status(url)).toMatchObject([{ state: "warn", detail: away }]);
});

test("TEL-01: a model request names its provider, tokens and end by the conventions", async () => {
  await using collector = await CollectorForTests.start();
  await oneTurn(collector);
  const chat = collector.spans.find(({ name }) => name.startsWith("chat"));
  expect(chat?.kind).toBe(3);
  expect(Number(chat?.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(chat?.startTimeUnixNano));
  const attributes = plain(chat?.attributes ?? []);
  expect(attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": expect.any(String) as string,
    "gen_ai.usage.input_tokens": expect.stringMatching(/^\d+$/) as string,
    "gen_ai.conversation.id": expect.stringMatching(/^[\w-]{4,}$/) as string,
  });
});

test("TEL-01: durations are histograms, tokens sums, by the names of the conventions", async () => {
  await using collector = await CollectorForTests.start();
  await oneTurn(collector);
  const kinds = collector.metrics.map(({ name, unit, histogram }) => [name, unit, histogram !== undefined]);
  expect(kinds).toEqual(
    expect.arrayContaining([
      ["gen_ai.client.inference.duration", "s", true],
      ["gen_ai.client.inference.usage.input_tokens", "{token}", false],
      ["gen_ai.invoke_agent.duration", "s", true],
      ["gen_ai.execute_tool.duration", "s", true],
    ]),
  );
  const inference = collector.metrics.find(({ name }) => name === "gen_ai.client.inference.duration");
  const [point] = inference?.histogram?.dataPoints ?? [];
  const buckets = point?.["bucketCounts"] as readonly string[];
  expect(point?.["count"]).toBe("2");
  expect(buckets.reduce((sum, one) => sum + Number(one), 0)).toBe(2);
  expect(buckets).toHaveLength(15);
});

test("TEL-01: nothing of what people, models and tools say is sent, nor who they are", async () => {
  await using collector = await CollectorForTests.start();
  const canary = "canary-7d1f";
  const secret = tool("note", () => Promise.resolve(`the result ${canary}`));
  const asked = { calls: [{ name: "note", args: { text: `an argument ${canary}` } }], text: canary };
  const model = fakeProvider([asked, { calls: [{ name: canary, args: {} }] }, `an answer ${canary}`]);
  const channel = fakeChannel("fake");
  const t = await startTestHost({
    plugins: [net, plugin, secret, model, channel, memoryStore()],
    config: { telemetry: { otlp_url: collector.url } },
  });
  await t.serve();
  await channel.receive({ text: `a question ${canary}`, from: canary, id: `id-${canary}` });
  await expect.poll(() => channel.sent.length).toBeGreaterThan(0);
  await t.stop();
  expect(collector.spans.length).toBeGreaterThan(4);
  expect(collector.requests.map(({ body }) => body).join("")).not.toContain(canary);
});

test("TEL-01: a message is one trace over a kill: accepted, waiting, its turns, sent", async () => {
  await using collector = await CollectorForTests.start();
  const store = createMemoryStore();
  const config = { telemetry: { otlp_url: collector.url } };
  const hang = { text: "", after: new Promise<void>(() => {}) };
  for (const outcome of [hang, "done"]) {
    const channel = fakeChannel("fake");
    const model = fakeProvider([outcome]);
    const t = await startTestHost({ plugins: [net, plugin, channel, model, memoryStore(store)], config });
    await t.serve();
    await channel.receive({ text: "hello", id: "message-7" });
    const done = () => (outcome === hang ? model.requests : channel.sent).length;
    await expect.poll(done).toBe(1);
    await stopSoon(t);
  }
  const { spans } = collector;
  const names = new Set(spans.map(({ name }) => name));
  for (const name of [
    "gantry.message.accept",
    "gantry.message.wait",
    "gantry.message.send",
    "gantry.message",
  ])
    expect(names).toContain(name);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const whole = spans.find(({ name }) => name === "gantry.message");
  const steps = spans.filter(({ name }) => name.startsWith("gantry.message."));
  expect(new Set(steps.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([whole?.spanId]));
});

test("TEL-01: a failed request names its code and is marked as failed", async () => {
  await using collector = await CollectorForTests.start();
  const plugins = [
    net,
    plugin,
    fakeProvider([{ failure: { code: "PROVIDER_AUTH", message: "no", retry: false } }]),
    memoryStore(),
  ];
  const t = await startTestHost({ plugins, config: { telemetry: { otlp_url: collector.url } } });
  await t.ask("go").catch(() => undefined);
  await t.stop();
  const failed = collector.spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ name }) => name.split(" ")[0])).toEqual(
    expect.arrayContaining(["chat", "invoke_agent"]),
  );
  for (const span of failed) expect(plain(span.attributes)["error.type"]).toMatch(/^[A-Z_]+$/);
});

test("TEL-01: whoever began the trace decides if it is recorded", async () => {
  await using collector = await CollectorForTests.start();
  await oneTurn(collector, { traceparent: given.replace(/01$/, "00") });
  expect(collector.spans).toEqual([]);
  expect(collector.metrics.length).toBeGreaterThan(0);
});

test.each([
  [0, 0],
  [1, 4],
])("TEL-01: with sample = %s a trace of one turn sends %s spans", async (sample, spans) => {
  await using collector = await CollectorForTests.start();
  await oneTurn(collector, { telemetry: { sample } });
  expect(collector.spans).toHaveLength(spans);
});

test("TEL-01: the variables of OpenTelemetry win over the file", async () => {
  await using collector = await CollectorForTests.start();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `${collector.url}/`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a%20b");
  vi.stubEnv("OTEL_SERVICE_NAME", "assistant");
  const telemetry = {
    otlp_url: "http://127.0.0.1:9",
    headers: { "x-tenant": "file", "x-more": "1" },
    service_name: "file",
  };
  await oneTurn(collector, { telemetry });
  const [first] = collector.requests;
  expect(first?.headers).toMatchObject({ "x-tenant": "a b", "x-more": "1" });
  expect(first?.body).toContain('{"key":"service.name","value":{"stringValue":"assistant"}}');
});

test("TEL-01: with OTEL_SDK_DISABLED nothing is sent and no collector is needed", async () => {
  await using collector = await CollectorForTests.start();
  vi.stubEnv("OTEL_SDK_DISABLED", "true");
  await oneTurn(collector);
  expect(collector.requests).toEqual([]);
});

test.each([
  [{}, {}, "TELEMETRY_NO_URL"],
  [{ otlp_url: "127.0.0.1:4318" }, {}, "TELEMETRY_URL"],
  [{ otlp_url: "http://127.0.0.1:1" }, { OTEL_TRACES_SAMPLER_ARG: "2" }, "TELEMETRY_SETTING"],
  [{ otlp_url: "http://127.0.0.1:1" }, { OTEL_EXPORTER_OTLP_HEADERS: "a=%" }, "TELEMETRY_SETTING"],
])("TEL-01: the settings %j with %j stop the start with %s", async (telemetry, env, code) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  await expect(startTestHost({ plugins: [net, plugin], config: { telemetry } })).rejects.toMatchObject({
    code,
  });
});

test("TEL-01: a collector that takes nothing disturbs no turn, and is told once, without its key", async () => {
  await using collector = await CollectorForTests.start();
  const { url } = collector;
  await collector[Symbol.asyncDispose]();
  const headers = { authorization: "Bearer canary-of-the-collector" };
  const t = await oneTurn({ url } as CollectorForTests, { telemetry: { headers } });
  const told = t.logs.filter(({ detail }) => detail["code"] === "TELEMETRY_REFUSED");
  expect(told).toHaveLength(1);
  expect(JSON.stringify(t.logs)).not.toContain("canary-of");
});

test("TEL-01: spans that a collector refuses are dropped and counted", async () => {
  await using collector = await CollectorForTests.start();
  const counted: unknown[] = [];
  const meters = definePlugin({
    name: "meters-test",
    provides: [Meters],
    setup: (host) =>
      host.provide(Meters, {
        count: (...one) => void counted.push(one),
        set: () => undefined,
      }),
  });
  collector.next = (response) => response.writeHead(400).end();
  await oneTurn(collector, { plugins: [meters] });
  expect(collector.spans).toEqual([]);
  expect(counted).toContainEqual(["telemetry_spans_dropped_total", { reason: "refused" }, 4]);
});

test("SCL-02: /metrics and a collector are told of the same turn by two plugins", async () => {
  await using collector = await CollectorForTests.start();
  const plugins = [net, plugin, metrics, note, fakeProvider([calls, "done"]), memoryStore()];
  const t = await startTestHost({ plugins, config: { telemetry: { otlp_url: collector.url } } });
  await t.ask("go");
  const [route] = [...t.slot(Routes).values()];
  const { text } = await callRoute(route as Route, { path: "/metrics" });
  await t.stop();
  expect(text).toContain('gantry_tool_calls_total{tool="note",outcome="ok"} 1');
  const [tools] = collector.metrics.filter(({ name }) => name === "gen_ai.execute_tool.duration");
  expect(tools?.histogram?.dataPoints[0]?.["count"]).toBe("1");
});
