import { textOf } from "@gantry/sdk";
import { expect, test } from "vitest";
import { start, type OpenAIGateway } from "./openai.test-kit.ts";

const call = { calls: [{ name: "weather", args: { city: "Bonn" } }] };
const [weather, time] = ["weather", "time"].map((name) => ({ name, parameters: { type: "object" } }));
const nested = (one: object) => ({ type: "function", function: one });
const flat = (one: object) => ({ type: "function", ...one });

/** The form of tools in each API, and of the choice of some of them. */
const doors = [
  {
    path: "/v1/chat/completions",
    body: { messages: [{ role: "user", content: "hi" }] },
    tool: nested,
    allowed: (mode: string, ...tools: object[]) => ({
      type: "allowed_tools",
      allowed_tools: { mode, tools: tools.map(nested) },
    }),
    names: (json: any) => json.choices[0].message.tool_calls.map((one: any) => one.function.name),
  },
  {
    path: "/v1/responses",
    body: { input: "hi" },
    tool: flat,
    allowed: (mode: string, ...tools: object[]) => ({ type: "allowed_tools", mode, tools: tools.map(flat) }),
    names: (json: any) => json.output.map((one: any) => one.name),
  },
] as const;
type Door = (typeof doors)[number];

async function choose(gateway: OpenAIGateway, door: Door, tool_choice: unknown, more: object = {}) {
  const tools = [weather!, time!].map(door.tool);
  const body = { model: "gantry", ...door.body, tools, tool_choice, ...more };
  return gateway.ask(door.path, { body, token: gateway.token });
}

const reached = ({ model }: OpenAIGateway) =>
  model.requests.map(({ tools, mustCall }) => [
    tools
      .map(({ name }) => name)
      .toSorted()
      .join(),
    mustCall,
  ]);

test.each(doors)(
  "OAI-12: $path without parallel calls hands on one, and the model sees that",
  async (door) => {
    const two = { calls: ["Bonn", "Rome"].map((city) => ({ name: "weather", args: { city }, id: city })) };
    await using gateway = await start([two, two, two, "ok"]);
    const alone = { parallel_tool_calls: false };
    const whole = await choose(gateway, door, "auto", alone);
    expect(door.names(whole.json)).toEqual(["weather"]);
    const { text } = await choose(gateway, door, "auto", { ...alone, stream: true });
    expect([text.includes("Bonn"), text.includes("Rome")]).toEqual([true, false]);
    expect(door.names((await choose(gateway, door, "auto")).json)).toEqual(["weather", "weather"]);
  },
);

test("OAI-12: the call that was not handed on is told the model as not run", async () => {
  const two = { calls: ["Bonn", "Rome"].map((city) => ({ name: "weather", args: { city }, id: city })) };
  await using gateway = await start([two, "ok"]);
  const tools = [flat(weather!)] as never;
  const asked = { model: "gantry", tools, parallel_tool_calls: false };
  const { responses } = gateway.client;
  const { id } = await responses.create({ ...asked, input: "hi" });
  const input = [{ type: "function_call_output" as const, call_id: "Bonn", output: "25 degrees" }];
  const { output_text } = await responses.create({ ...asked, input, previous_response_id: id });
  expect(output_text).toBe("ok");
  const results = gateway.model.requests[1]!.messages.filter(({ role }) => role === "tool");
  expect(results.map(({ parts }) => textOf(parts))).toEqual([
    expect.stringContaining("25 degrees"),
    "The turn ended before this was run.",
  ]);
});

test.each(doors)("OAI-12: $path requires a call of the client's tools, or of the one named", async (door) => {
  await using gateway = await start([call]);
  const some = [{ name: "weather" }] as const;
  const choices = ["required", door.tool(some[0]), door.allowed("required", ...some)];
  for (const choice of choices) {
    const { status, json } = await choose(gateway, door, choice);
    expect([status, door.names(json)]).toEqual([200, ["weather"]]);
  }
  await choose(gateway, door, door.allowed("auto", ...some));
  expect(reached(gateway)).toEqual([
    ["time,weather", true],
    ["weather", true],
    ["weather", true],
    ["clock,weather", undefined],
  ]);
});

test.each(doors)("OAI-12: a model that calls nothing though it has to is an error of $path", async (door) => {
  await using gateway = await start(["It is sunny."]);
  const { status, json } = await choose(gateway, door, "required");
  expect([status, json.error.code]).toEqual([500, "OPENAI_NO_CALL"]);
  const { text } = await choose(gateway, door, "required", { stream: true });
  expect(text).toContain("OPENAI_NO_CALL");
});

test.each(doors)("OAI-12: $path refuses a choice of what is not in its tools", async (door) => {
  await using gateway = await start([]);
  const unknown = { name: "unknown" };
  for (const choice of [door.tool(unknown), door.allowed("auto", unknown), door.allowed("required"), {}]) {
    const { status, json } = await choose(gateway, door, choice);
    expect([status, json.error.param]).toEqual([400, "tool_choice"]);
  }
  expect(gateway.model.requests).toEqual([]);
});
