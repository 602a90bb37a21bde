import { createOpenAI } from "@ai-sdk/openai";
import { Agent, OpenAIProvider, Runner, tool as agentTool } from "@openai/agents";
import { textOf } from "@gantry/sdk";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { expect, test } from "vitest";
import { start, type OpenAIGateway } from "./openai.test-kit.ts";

const schema = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false as const,
};
const description = "The weather of a city.";
const call = { calls: [{ name: "weather", args: { city: "Rome" } }] };
const result = "25 degrees";
const execute = async () => result;

/** The calls of a program with a client library, in the library's own words. */
interface Client {
  ask(text: string): Promise<string>;
  stream(text: string): Promise<string>;
  /** Asks with a tool `weather` of the program's own, which it runs, and goes on to the answer. */
  act(text: string): Promise<string>;
}

function official({ client: { responses } }: OpenAIGateway): Client {
  const weather = { type: "function" as const, name: "weather", description, parameters: schema };
  return {
    ask: async (input) => (await responses.create({ model: "gantry", input })).output_text,
    async stream(input) {
      const stream = responses.stream({ model: "gantry", input });
      let streamed = "";
      stream.on("response.output_text.delta", ({ delta }) => (streamed += delta));
      const { output_text } = await stream.finalResponse();
      return streamed === output_text ? streamed : `${streamed} is not ${output_text}`;
    },
    async act(input) {
      const tools = [{ ...weather, strict: true }];
      const asked = await responses.parse({ model: "gantry", input, tools });
      const outputs = asked.output.flatMap((item) =>
        item.type === "function_call"
          ? [{ type: "function_call_output" as const, call_id: item.call_id, output: result }]
          : [],
      );
      const previous = { previous_response_id: asked.id };
      const answer = await responses.create({ model: "gantry", input: outputs, tools, ...previous });
      return answer.output_text;
    },
  };
}

function aiSdk({ baseURL, token }: OpenAIGateway): Client {
  const model = createOpenAI({ baseURL, apiKey: token })("gantry");
  const weather = tool({ description, inputSchema: jsonSchema<{ city: string }>(schema), execute });
  return {
    ask: async (prompt) => (await generateText({ model, prompt, maxRetries: 0 })).text,
    stream: async (prompt) => streamText({ model, prompt, maxRetries: 0 }).text,
    async act(prompt) {
      const stopWhen = isStepCount(3);
      const tools = { weather };
      return (await generateText({ model, prompt, tools, stopWhen, maxRetries: 0 })).text;
    },
  };
}

function agents({ client }: OpenAIGateway): Client {
  const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const weather = agentTool({ name: "weather", description, parameters: schema, execute });
  const bare = new Agent({ name: "Bare", instructions: "Be brief.", model: "gantry" });
  const acting = new Agent({ name: "Acting", model: "gantry", tools: [weather] });
  return {
    ask: async (text) => String((await runner.run(bare, text)).finalOutput),
    async stream(text) {
      const streamed = await runner.run(bare, text, { stream: true });
      await streamed.completed;
      return String(streamed.finalOutput);
    },
    act: async (text) => String((await runner.run(acting, text)).finalOutput),
  };
}

const clients = [
  ["the official client", official],
  ["the AI SDK's default model", aiSdk],
  ["the Agents SDK", agents],
] as const;

test.for(clients)("OAI-11: %s asks for whole responses and streamed ones", async ([, open]) => {
  await using gateway = await start(["Good day.", "Good night."]);
  const client = open(gateway);
  expect([await client.ask("hello"), await client.stream("hello")]).toEqual(["Good day.", "Good night."]);
});

test.for(clients)("OAI-11: %s runs its own tool and goes on with the result", async ([, open]) => {
  await using gateway = await start([call, "It is sunny."]);
  expect(await open(gateway).act("How is Rome?")).toBe("It is sunny.");
  const shown = (gateway.model.requests[1]?.messages ?? []).map(({ role, parts }) => [role, textOf(parts)]);
  const roles = shown.map(([role]) => role);
  expect(roles).toEqual(["system", "user", "assistant", "tool"]);
  expect(shown.at(-1)?.[1]).toContain(result);
});

test("OAI-11: the official client gets, lists the input of, and deletes a response", async () => {
  await using gateway = await start(["Good day."]);
  const { responses } = gateway.client;
  const made = await responses.create({ model: "gantry", input: "hello" });
  expect(await responses.retrieve(made.id)).toEqual(made);
  const { data } = await responses.inputItems.list(made.id);
  expect(data).toMatchObject([{ role: "user", content: [{ type: "input_text", text: "hello" }] }]);
  await responses.delete(made.id);
  await expect(responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
});

test("OAI-11: the official client throws our sentence for a failure within a stream", async () => {
  const failure = { code: "PROVIDER_SERVER", message: "The model is gone.", retry: true };
  await using gateway = await start([{ text: "Good", failure }]);
  const stream = gateway.client.responses.stream({ model: "gantry", input: "hello" });
  await expect(stream.finalResponse()).rejects.toThrow("The model is gone.");
});

test.for(clients)("OAI-13: of %s fifty at once are answered, each with its own", async ([, open]) => {
  await using gateway = await start([({ messages }) => `re ${textOf(messages.at(-1)?.parts ?? [])}`]);
  const client = open(gateway);
  const texts = Array.from({ length: 50 }, (_, i) => `m${i}`);
  const answers = await Promise.all(
    texts.map((text, i) => (i % 2 === 0 ? client.ask(text) : client.stream(text))),
  );
  expect(answers).toEqual(texts.map((text) => `re ${text}`));
});
