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
