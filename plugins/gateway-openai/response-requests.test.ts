import { textOf } from "@gantry/sdk";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { another, start, type OpenAIGateway } from "./openai.test-kit.ts";

const weather = { type: "function", name: "weather", parameters: { type: "object", properties: {} } };
const result = (call_id: string, output: unknown) => ({ type: "function_call_output", call_id, output });

async function ask({ ask: send, token }: OpenAIGateway, more: object, headers = {}) {
  const body = { model: "gantry", input: "hi", ...more };
  const { status, json } = await send("/v1/responses", { body, token, headers });
  return { status, json, param: json.error?.param, code: json.error?.code };
}

function shown({ model }: OpenAIGateway, at: number): readonly (readonly [string, string])[] {
  return (model.requests[at]?.messages ?? []).slice(1).map(({ role, parts }) => [role, textOf(parts)]);
}

test.each([
  { background: true },
  { conversation: "conv_1" },
  { frequency_penalty: 1 },
  { include: ["message.output_text.logprobs"] },
  { max_tool_calls: 3 },
  { no_such_parameter: 1 },
  { presence_penalty: -1 },
  { prompt: { id: "pmpt_1" } },
  { stream_options: { include_obfuscation: true } },
  { text: { format: { type: "json_schema", name: "a", schema: {} } } },
  { text: { verbosity: "low" } },
  { tool_choice: "required" },
  { tool_choice: { type: "function", name: "weather" } },
  { top_logprobs: 2 },
  { top_p: 0.5 },
  { truncation: "disabled" },
  { temperature: 9 },
  { max_output_tokens: 0 },
  { metadata: { a: 1 } },
  { store: "yes" },
  { stream: "yes" },
  { instructions: ["a"] },
  { previous_response_id: 7 },
  { prompt_cache_key: {} },
  { input: 7 },
  { input: [] },
])("OAI-11: %j cannot be honoured and is 400 with its param", async (more) => {
  await using gateway = await start([]);
  const { status, param } = await ask(gateway, more);
  expect([status, param]).toEqual([400, Object.keys(more)[0]]);
  expect(gateway.model.requests).toEqual([]);
});

test.each([
  [{ reasoning: { effort: "xhigh" } }, "reasoning.effort"],
  [{ reasoning: { summary: "concise" } }, "reasoning"],
  [{ tools: [{ type: "web_search" }] }, "tools[0]"],
  [{ tools: [weather, { type: "file_search", vector_store_ids: ["a"] }] }, "tools[1]"],
  [{ input: [{ type: "web_search_call" }] }, "input[0].type"],
  [{ input: [{ type: "message", role: "tool", content: "a" }] }, "input[0].role"],
  [{ input: [result("call_9", "a")] }, "input[0].tool_call_id"],
  [{ input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] }, "input[0].content[0]"],
  [{ input: [{ role: "user", content: [{ type: "input_audio" }] }] }, "input[0].content[0]"],
])("OAI-11: of %j the 400 names the very place", async (more, place) => {
  await using gateway = await start([]);
  const { status, param } = await ask(gateway, more);
  expect([status, param]).toEqual([400, place]);
});

test("OAI-11: instructions count for one response, what system items say for all behind it", async () => {
  await using gateway = await start(["a", "b"]);
  const input = [
    { type: "message", role: "developer", content: "Be brief." },
    { type: "message", role: "user", content: "hello" },
  ];
  const { json } = await ask(gateway, { input, instructions: "Speak like a pirate." });
  await ask(gateway, { previous_response_id: json.id });
  const systems = gateway.model.requests.map(({ messages }) => textOf(messages[0]?.parts ?? []));
  expect(systems[0]).toMatch(/^You are Gantry[^]*Speak like a pirate\.\n\nBe brief\./);
  expect(systems[1]).toContain("Be brief.");
  expect(systems[1]).not.toContain("pirate");
});

test("OAI-11: temperature, effort and bound of a request reach the model and are repeated", async () => {
  await using gateway = await start(["a"]);
  const asked = { temperature: 0, max_output_tokens: 99, metadata: { job: "7" } };
  const { json } = await ask(gateway, { ...asked, reasoning: { effort: "low" } });
  expect(json).toMatchObject({ ...asked, reasoning: { effort: "low" } });
  const reached = { temperature: 0, maxTokens: 99, effort: "low" };
  expect(gateway.model.requests[0]).toMatchObject(reached);
});

test("OAI-11: results of a client's tool stand where the calls were made, on each of two ways", async () => {
  const calls = ["a", "b"].map((id) => ({ id, name: "weather", args: {} }));
  await using gateway = await start([{ text: "I ask.", calls }, "one", "two", "three"]);
  const { json } = await ask(gateway, { tools: [weather] });
  const behind = (first: string) =>
    ask(gateway, {
      previous_response_id: json.id,
      tools: [weather],
      input: [result("a", first), result("b", [{ type: "input_text", text: "rain" }])],
    });
  const { json: one } = await behind("sun");
  await behind("snow");
  await ask(gateway, { previous_response_id: one.id, input: "thanks" });
  const roles = ["user", "assistant", "tool", "tool"];
  for (const [at, first] of [
    [1, "sun"],
    [2, "snow"],
  ] as const) {
    const messages = shown(gateway, at);
    expect(messages.map(([role]) => role)).toEqual(roles);
    expect([messages[2]?.[1], messages[3]?.[1]]).toEqual([
      expect.stringContaining(first),
      expect.stringContaining("rain"),
    ]);
  }
  const last = shown(gateway, 3);
  expect(last.map(([role]) => role)).toEqual([...roles, "assistant", "user"]);
  expect([last[2]?.[1], last[4]?.[1], last[5]?.[1]]).toEqual([
    expect.stringContaining("sun"),
    "one",
    expect.stringContaining("thanks"),
  ]);
});

test("OAI-11: an item of an earlier response is referred to by its id", async () => {
  await using gateway = await start(["Good day.", "again"]);
  const { json } = await ask(gateway, {});
  const reference = { type: "item_reference", id: json.output[0].id };
  await ask(gateway, { input: [reference, { role: "user", content: "and?" }] });
  expect(shown(gateway, 1).map(([role, text]) => [role, text.split("\n").at(-1)])).toEqual([
    ["assistant", "Good day."],
    ["user", "and?"],
  ]);
});

test("OAI-05: gantry-plain is the model alone for responses too, and is kept only if asked", async () => {
  await using gateway = await start(["A title"]);
  const { json } = await ask(gateway, { model: "gantry-plain" });
  expect([json.store, gateway.model.requests[0]?.tools]).toEqual([false, []]);
  const { json: kept } = await ask(gateway, { model: "gantry-plain", store: true });
  expect((await gateway.client.responses.retrieve(kept.id)).output_text).toBe("A title");
});

test("OAI-13: input items are listed newest first, by pages, to their own token alone", async () => {
  await using gateway = await start(["ok"]);
  const input = ["a", "b", "c"].map((content) => ({ role: "user", content }));
  const { json } = await ask(gateway, { input });
  const path = `/v1/responses/${json.id}/input_items`;
  const page = async (query: string, token = gateway.token) => {
    const { status, json: list } = await gateway.ask(`${path}${query}`, { token });
    return [status, list.data?.map((item: any) => item.content[0].text), list.has_more];
  };
  expect(await page("")).toEqual([200, ["c", "b", "a"], false]);
  expect(await page("?order=asc&limit=2")).toEqual([200, ["a", "b"], true]);
  const { json: first } = await gateway.ask(`${path}?limit=1`, { token: gateway.token });
  expect(await page(`?limit=1&after=${first.last_id}`)).toEqual([200, ["b"], true]);
  expect((await page("?limit=0"))[0]).toBe(400);
  expect((await page("", (await another(gateway)).token))[0]).toBe(404);
});

test("OAI-11: whatever a request holds, it is answered or 4xx says why", { timeout: 60_000 }, async () => {
  await using gateway = await start(Array.from({ length: 80 }, () => "a"));
  const names = ["input", "tools", "metadata", "reasoning", "text", "previous_response_id", "include"];
  const item = fc.record(
    {
      type: fc.constantFrom("message", "function_call", "function_call_output", "item_reference", "x"),
      role: fc.constantFrom("user", "assistant", "system", "tool"),
      content: fc.oneof(fc.string(), fc.jsonValue()),
      id: fc.string(),
      call_id: fc.string(),
      name: fc.string(),
      arguments: fc.string(),
      output: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
    fc.record({ input: fc.array(item, { maxLength: 4 }) }),
  );
  await fc.assert(
    fc.asyncProperty(body, async (more) => {
      const { status, json } = await ask(gateway, more);
      expect(status === 200 ? json.object : typeof json.error.message).toMatch(/^(response|string)$/);
      expect([200, 400, 404]).toContain(status);
    }),
    { numRuns: 80 },
  );
});
