import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import gateway from "../gateway-http/index.ts";
import { Counters } from "./counters.ts";
import metrics from "./index.ts";
import { observer } from "./observer.ts";

const tool = definePlugin({
  name: "tool-note",
  provides: [Tools],
  setup: (host) =>
    host.provide(
      Tools,
      defineTool({ name: "note", description: "Notes.", input: Type.Object({}), run: async () => "ok" }),
    ),
});

async function started(config: object = {}): Promise<{ t: TestHost; url: string }> {
  const model = fakeProvider([{ calls: [{ name: "note", args: {} }] }, "done"]);
  const plugins = [memoryStore(), fakeChannel("chatapp"), tool, model, metrics, gateway];
  const t = await startTestHost({ plugins, config: { gateway: { port: 0 }, ...config } });
  await t.serve();
  return { t, url: String(t.logs.find(({ detail }) => "url" in detail)?.detail["url"]) };
}

/** Each line of an answer as Prometheus reads it. */
function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.trimEnd().split("\n");
  for (const line of lines)
    expect(line).toMatch(
      /^(?:# HELP gantry_\w+ [^\\]+|# TYPE gantry_\w+ (?:counter|gauge|histogram)|gantry_\w+(?:\{(?:\w+="[^"]*",?)+\})? [\d.e+-]+)$/,
    );
  return new Map(
    lines
      .filter((line) => !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

test("OPS-01: /metrics counts tools and HTTP, tells how the store is, and names nobody", async () => {
  const { t, url } = await started({ metrics: { open: true } });
  await using _ = t;
  await t.ask("note it", { user: "chatapp:+15550001111", session: "chatapp:+15550001111" });
  await fetch(`${url}/health`);
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const text = await response.text();
  const found = samples(text);
  expect(found.get('gantry_tool_calls_total{tool="note",outcome="ok"}')).toBe(1);
  expect(found.get('gantry_http_requests_total{method="GET",route="/health",status="200"}')).toBe(1);
  expect(found.get("gantry_store_up")).toBe(1);
  expect(found.get("gantry_messages_waiting")).toBe(0);
  expect(found.get("gantry_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(text).not.toContain("1555");
});

test("OPS-01: /metrics needs a token unless metrics.open is set", async () => {
  const { t, url } = await started();
  await using _ = t;
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
});

test("OPS-01: labels are written so that no value can end its line, and their kinds are bounded", () => {
  const counters = new Counters();
  counters.count("odd_total", { name: 'a"b\\c\nd' });
  counters.set("trouble", 1, { part: "disk" });
  counters.set("trouble", 0, { part: "disk" });
  expect([...counters.lines()]).toEqual([
    "# TYPE gantry_odd_total counter",
    'gantry_odd_total{name="a\\"b\\\\c\\nd"} 1',
    "# TYPE gantry_trouble gauge",
    'gantry_trouble{part="disk"} 0',
  ]);
  for (let i = 0; i < 1_000; i += 1) counters.count("many_total", { name: String(i) });
  expect([...counters.lines()].length).toBeLessThan(510);
  expect([...counters.lines()]).toContain('gantry_many_total{other="true"} 500');
});

test("OPS-01: turns, requests to models and messages are counted by what they are, never by who wrote", () => {
  const counters = new Counters();
  const { turnEnded, modelAnswered, laneMoved } = observer(counters);
  const who = { user: "chatapp:+15550001111", session: "chatapp:+15550001111" };
  turnEnded?.({ ...who, stop: "EndTurn", ms: 1_500 });
  const tokens = { inputTokens: 10, outputTokens: 5, cachedTokens: 4, reasoningTokens: 0 };
  const asked = { purpose: "turn", provider: "fake", model: "m", firstMs: 1, ms: 500, outcome: "ok" };
  modelAnswered?.({ ...who, ...asked, ...tokens });
  laneMoved?.({ lane: who.session, state: "aside" });
  const found = samples([...counters.lines()].join("\n"));
  const whole = [...found].filter(([name]) => !name.includes("_bucket{"));
  expect(Object.fromEntries(whole)).toEqual({
    'gantry_turns_total{channel="chatapp",stop="EndTurn"}': 1,
    'gantry_turn_seconds_sum{channel="chatapp"}': 1.5,
    'gantry_turn_seconds_count{channel="chatapp"}': 1,
    'gantry_model_requests_total{provider="fake",outcome="ok"}': 1,
    'gantry_model_request_seconds_sum{provider="fake"}': 0.5,
    'gantry_model_request_seconds_count{provider="fake"}': 1,
    'gantry_model_first_piece_seconds_sum{provider="fake"}': 0.001,
    'gantry_model_first_piece_seconds_count{provider="fake"}': 1,
    'gantry_model_tokens_total{provider="fake",kind="input"}': 10,
    'gantry_model_tokens_total{provider="fake",kind="cached"}': 4,
    'gantry_model_tokens_total{provider="fake",kind="output"}': 5,
    'gantry_messages_total{channel="chatapp",state="aside"}': 1,
  });
});

test("SDK-18: what plugins observe is a histogram whose buckets each hold all below them", () => {
  const counters = new Counters();
  for (const value of [0.01, 0.02, 7, 10_000]) counters.observe("tool_seconds", value, { tool: "a" });
  const found = samples([...counters.lines()].join("\n"));
  const at = (le: string) => found.get(`gantry_tool_seconds_bucket{tool="a",le="${le}"}`);
  expect(["0.01", "0.05", "5", "10", "300", "+Inf"].map(at)).toEqual([1, 2, 2, 3, 3, 4]);
  expect(found.get('gantry_tool_seconds_sum{tool="a"}')).toBe(10_007.03);
  expect(found.get('gantry_tool_seconds_count{tool="a"}')).toBe(4);
  for (let i = 0; i < 1_000; i += 1) counters.observe("many_seconds", 1, { name: String(i) });
  const kinds = [...counters.lines()].filter((line) => line.startsWith("gantry_many_seconds_count"));
  expect(kinds.length).toBeLessThan(510);
});
