import * as fc from "fast-check";
import { expect, test } from "vitest";
import { start, type OpenAIGateway } from "./openai.test-kit.ts";

const hello = { model: "gantry", messages: [{ role: "user", content: "hi" }] };
const weather = {
  type: "function",
  function: { name: "weather", description: "W.", parameters: { type: "object", properties: {} } },
};

async function ask({ ask: send, token }: OpenAIGateway, more: object) {
  const { status, json } = await send("/v1/chat/completions", { body: { ...hello, ...more }, token });
  return { status, param: json.error?.param };
}

test("OAI-10: temperature and effort of a request reach the model", async () => {
  await using gateway = await start(["a", "b"]);
  await ask(gateway, { temperature: 0, reasoning_effort: "low" });
  await ask(gateway, {});
  const asked = gateway.model.requests.map(({ temperature, effort }) => [temperature, effort]);
  expect(asked).toEqual([
    [0, "low"],
    [0.7, undefined],
  ]);
});

test("OAI-12: tool_choice none offers the model no tool, the client's neither", async () => {
  await using gateway = await start(["a", "b"]);
  expect(await ask(gateway, { tools: [weather], tool_choice: "none" })).toMatchObject({ status: 200 });
  expect(await ask(gateway, { tools: [weather], tool_choice: "auto" })).toMatchObject({ status: 200 });
  const [none, auto] = gateway.model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect([none, auto?.toSorted()]).toEqual([[], ["clock", "weather"]]);
});

test.each([
  { tool_choice: "required" },
  { tool_choice: { type: "function", function: { name: "weather" } } },
  { tool_choice: { type: "custom", custom: { name: "weather" } } },
  { response_format: { type: "json_object" } },
  { response_format: { type: "json_schema", json_schema: { name: "a", schema: {} } } },
  { n: 2 },
  { logprobs: true },
  { top_logprobs: 2 },
  { top_p: 0.5 },
  { seed: 7 },
  { stop: ["\n"] },
  { presence_penalty: 1 },
  { frequency_penalty: -1 },
  { logit_bias: { "50256": -100 } },
  { verbosity: "low" },
  { web_search_options: {} },
  { no_such_parameter: 1 },
  { temperature: 9 },
  { temperature: "hot" },
  { reasoning_effort: "xhigh" },
])("OAI-12: %j cannot be honoured and is 400 with its param", async (more) => {
  await using gateway = await start([]);
  expect(await ask(gateway, more)).toEqual({ status: 400, param: Object.keys(more)[0] });
  expect(gateway.model.requests).toEqual([]);
});

test("OAI-12: parallel_tool_calls is true or false, else 400 with its param", async () => {
  await using gateway = await start(["a"]);
  const refused = await ask(gateway, { tools: [weather], parallel_tool_calls: "no" });
  expect(refused).toEqual({ status: 400, param: "parallel_tool_calls" });
});

test("OAI-12: parameters that ask for what is done anyway are taken", async () => {
  await using gateway = await start(["a"]);
  const asked = await ask(gateway, {
    n: 1,
    top_p: 1,
    stop: null,
    presence_penalty: 0,
    frequency_penalty: 0,
    logit_bias: {},
    logprobs: false,
    response_format: { type: "text" },
    tool_choice: "auto",
    parallel_tool_calls: true,
    stream: false,
    store: false,
    metadata: {},
    service_tier: "auto",
  });
  expect(asked).toMatchObject({ status: 200 });
});

test("OAI-12: whatever a parameter holds, it is taken or 400 names it", { timeout: 60_000 }, async () => {
  const names = ["temperature", "tool_choice", "response_format", "top_p", "stop", "seed", "n", "x"];
  await using gateway = await start(Array.from({ length: 60 }, () => "a"));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.jsonValue(), async (name, value) => {
      const { status, param } = await ask(gateway, { [name]: value });
      expect(["200 undefined", `400 ${name}`]).toContain(`${status} ${param}`);
    }),
    { numRuns: 60 },
  );
});
