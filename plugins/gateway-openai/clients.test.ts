import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, jsonSchema, streamText, tool } from "ai";
import { textOf } from "@gantry/sdk";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { start } from "./openai.test-kit.ts";

interface Said {
  readonly text: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The calls of a program with a client library, in the library's own words. */
interface Client {
  ask(text: string): Promise<Said>;
  stream(text: string): Promise<Said>;
  /** Offers a tool `weather` of the client's own. Returns the calls that the answer holds. */
  calls(text: string): Promise<readonly { readonly name: string; readonly args: unknown }[]>;
}

const schema = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
};
const description = "The weather of a city.";

const request = (content: string) => ({
  model: "gantry",
  messages: [{ role: "user" as const, content }],
});

function official(baseURL: string, apiKey: string): Client {
  const { completions } = new OpenAI({ baseURL, apiKey, maxRetries: 0 }).chat;
  const weather = { name: "weather", description, parameters: schema };
  return {
    async ask(text) {
      const { choices, usage } = await completions.create(request(text));
      return {
        text: choices[0]?.message.content ?? "",
        inputTokens: usage?.prompt_tokens,
        outputTokens: usage?.completion_tokens,
      };
    },
    async stream(text) {
      let said = "";
      let counted: OpenAI.CompletionUsage | null | undefined;
      const more = { stream: true, stream_options: { include_usage: true } } as const;
      for await (const { choices, usage } of await completions.create({ ...request(text), ...more })) {
        said += choices[0]?.delta.content ?? "";
        counted ??= usage;
      }
      return {
        text: said,
        inputTokens: counted?.prompt_tokens,
        outputTokens: counted?.completion_tokens,
      };
    },
    async calls(text) {
      const tools = [{ type: "function" as const, function: weather }];
      const { choices } = await completions.create({ ...request(text), tools });
      return (choices[0]?.message.tool_calls ?? []).flatMap((call) =>
        call.type === "function"
          ? [{ name: call.function.name, args: JSON.parse(call.function.arguments) as unknown }]
          : [],
      );
    },
  };
}

const tokens = (usage: { input_tokens: number; output_tokens: number } | undefined) => ({
  inputTokens: usage?.input_tokens,
  outputTokens: usage?.output_tokens,
});

function langchain(baseURL: string, apiKey: string): Client {
  const model = new ChatOpenAI({ model: "gantry", apiKey, configuration: { baseURL }, maxRetries: 0 });
  return {
    async ask(text) {
      const { content, usage_metadata } = await model.invoke([new HumanMessage(text)]);
      return { text: String(content), ...tokens(usage_metadata) };
    },
    async stream(text) {
      let said = "";
      let usage: Parameters<typeof tokens>[0];
      for await (const { content, usage_metadata } of await model.stream(text)) {
        said += String(content);
        usage = usage_metadata ?? usage;
      }
      return { text: said, ...tokens(usage) };
    },
    async calls(text) {
      const weather = { name: "weather", description, parameters: schema };
      const bound = model.bindTools([{ type: "function", function: weather }]);
      return ((await bound.invoke(text)).tool_calls ?? []).map(({ name, args }) => ({ name, args }));
    },
  };
}

function aiSdk(baseURL: string, apiKey: string): Client {
  const model = createOpenAICompatible({ name: "gantry", baseURL, apiKey, includeUsage: true })("gantry");
  const weather = tool({ description, inputSchema: jsonSchema<{ city: string }>(schema) });
  return {
    async ask(prompt) {
      const { text, usage } = await generateText({ model, prompt, maxRetries: 0 });
      return { text, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
    },
    async stream(prompt) {
      const result = streamText({ model, prompt, maxRetries: 0, onError: () => {} });
      const [text, { inputTokens, outputTokens }] = await Promise.all([result.text, result.usage]);
      return { text, inputTokens, outputTokens };
    },
    async calls(prompt) {
      const { toolCalls } = await generateText({ model, prompt, tools: { weather }, maxRetries: 0 });
      return toolCalls.map(({ toolName: name, input: args }) => ({ name, args }));
    },
  };
}

const clients = [
  ["the official client", official],
  ["LangChain", langchain],
  ["the AI SDK", aiSdk],
] as const;

test.for(clients)("OAI-01: %s asks for whole answers and streamed ones, with usage", async ([, open]) => {
  await using gateway = await start(["Good day.", "Good night."]);
  const client = open(gateway.baseURL, gateway.token);
  const tokens = { inputTokens: 10, outputTokens: 5 };
  const whole = await client.ask("hello");
  const streamed = await client.stream("hello");
  expect([whole, streamed]).toEqual([
    { text: "Good day.", ...tokens },
    { text: "Good night.", ...tokens },
  ]);
});

test.for(clients)("OAI-04: %s is handed the calls of its own tools", async ([, open]) => {
  await using gateway = await start([{ calls: [{ name: "weather", args: { city: "Rome" } }] }]);
  const client = open(gateway.baseURL, gateway.token);
  expect(await client.calls("How is Rome?")).toEqual([{ name: "weather", args: { city: "Rome" } }]);
});

test.for(clients)("OAI-08: %s is told that its key is wrong", async ([, open]) => {
  await using gateway = await start([]);
  const client = open(gateway.baseURL, "gt_wrong");
  for (const work of [client.ask("hello"), client.calls("hello")]) {
    const failure: unknown = await work.catch((error: unknown) => error);
    const { status, statusCode } = failure as { readonly status?: number; readonly statusCode?: number };
    expect([status ?? statusCode, String(failure)]).toEqual([401, expect.stringContaining("token")]);
  }
  await expect(client.stream("hello")).rejects.toThrow(/token|no output/i);
});

test.for(clients)("OAI-01: of %s fifty at once are answered, each with its own", async ([, open]) => {
  await using gateway = await start([({ messages }) => `re ${textOf(messages.at(-1)?.parts ?? [])}`]);
  const client = open(gateway.baseURL, gateway.token);
  const texts = Array.from({ length: 50 }, (_, i) => `m${i}`);
  const answers = await Promise.all(
    texts.map((text, i) => (i % 2 === 0 ? client.ask(text) : client.stream(text))),
  );
  expect(answers.map(({ text }) => text)).toEqual(texts.map((text) => `re ${text}`));
});
