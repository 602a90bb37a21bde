import { textOf } from "@gantry/sdk";
import type { FakeScript } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { start, type OpenAIGateway } from "./openai.test-kit.ts";
import { faults, readEvents, response } from "./open-responses.test-kit.ts";

const user = (content: unknown) => ({ type: "message", role: "user", content });
const said = (content: string) => ({ type: "message", role: "assistant", content });
const weather = {
  type: "function",
  name: "get_weather",
  description: "The weather at a place.",
  parameters: {
    type: "object",
    properties: { location: { type: "string" } },
    required: ["location"],
  },
};
const call = { calls: [{ name: "get_weather", args: { location: "San Francisco, CA" } }] };
const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Case {
  readonly request: object;
  readonly script: FakeScript;
  /** The types of the output's items. */
  readonly output: readonly string[];
  /** Parts of what the model is shown. */
  readonly shown?: readonly string[];
}

/** The specification's own cases of HTTP, each asked for whole and streamed. */
const cases: Readonly<Record<string, Case>> = {
  "basic text": {
    request: { input: [user("Say hello in exactly 3 words.")] },
    script: ["Hello there, friend."],
    output: ["message"],
  },
  "a text as input": {
    request: { input: "Count from 1 to 5." },
    script: ["1 2 3 4 5"],
    output: ["message"],
    shown: ["Count from 1 to 5."],
  },
  "a system prompt": {
    request: {
      input: [{ type: "message", role: "system", content: "Speak like a pirate." }, user("Hello.")],
    },
    script: ["Ahoy!"],
    output: ["message"],
    shown: ["Speak like a pirate."],
  },
  "tool calling": {
    request: { input: [user("How is the weather in San Francisco?")], tools: [weather] },
    script: [call],
    output: ["function_call"],
  },
  "words beside a call": {
    request: { input: [user("How is the weather?")], tools: [weather] },
    script: [{ text: "I ask.", ...call }],
    output: ["message", "function_call"],
  },
  "an image": {
    request: {
      input: [
        user([
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: dot },
        ]),
      ],
    },
    script: ["A dot."],
    output: ["message"],
    shown: ["image/png"],
  },
  "several turns": {
    request: { input: [user("My name is Alice."), said("Hello Alice!"), user("What is my name?")] },
    script: ["Alice."],
    output: ["message"],
    shown: ["Alice", "What is my name?"],
  },
  "an assistant's phases": {
    request: {
      input: [
        { ...said("I use the saved number."), phase: "commentary" },
        { ...said("The number is four."), phase: "final_answer" },
        user("Repeat the number."),
      ],
    },
    script: ["Four."],
    output: ["message"],
    shown: ["The number is four."],
  },
};

const names = Object.keys(cases);
const caseOf = (name: string): Case => cases[name] as Case;

async function ask({ ask: send, token }: OpenAIGateway, more: object) {
  return send("/v1/responses", { body: { model: "gantry", ...more }, token });
}

function shownIn({ model }: OpenAIGateway): string {
  return (model.requests[0]?.messages ?? []).map(({ parts }) => textOf(parts)).join("\n");
}

test.for(names)("OAI-13: %s is answered whole as the specification has it", async (name) => {
  const { request, script, output, shown = [] } = caseOf(name);
  await using gateway = await start(script);
  const { status, json } = await ask(gateway, request);
  expect([status, faults(response, json), json.status]).toEqual([200, [], "completed"]);
  expect(json.output.map(({ type }: { type: string }) => type)).toEqual(output);
  for (const words of shown) expect(shownIn(gateway)).toContain(words);
});

test.for(names)("OAI-13: %s is streamed as the specification has it", async (name) => {
  const { request, script, output } = caseOf(name);
  await using gateway = await start(script);
  const { text } = await ask(gateway, { ...request, stream: true });
  const { events, wrong } = readEvents(text);
  expect(wrong).toEqual([]);
  const ended = events.at(-1);
  expect(ended?.type).toBe("response.completed");
  expect(ended?.["response"].output.map(({ type }: { type: string }) => type)).toEqual(output);
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.map((event) => event["item"])).toEqual(ended?.["response"].output);
});

test("OAI-11: a stream tells text and calls by typed events in their order", async () => {
  const { request, script } = caseOf("words beside a call");
  await using gateway = await start(script);
  const { events } = readEvents((await ask(gateway, { ...request, stream: true })).text);
  expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "completed",
  ]);
});

test("OAI-13: a bound that is met makes the response incomplete, and says which", async () => {
  const cut = { text: "Once upon", stop: "MaxTokens" } as const;
  await using gateway = await start([cut]);
  const { json } = await ask(gateway, { input: "a tale", max_output_tokens: 16 });
  expect(json).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    max_output_tokens: 16,
    output: [{ status: "incomplete" }],
  });
  const { events, wrong } = readEvents((await ask(gateway, { input: "a tale", stream: true })).text);
  expect([events.at(-1)?.type, wrong]).toEqual(["response.incomplete", []]);
});

test("OAI-13: a failure after the stream began is an error and a failed response", async () => {
  const gone = { code: "PROVIDER_SERVER", message: "The model is gone.", retry: true };
  await using gateway = await start([{ text: "Good", failure: gone }]);
  const { events, wrong } = readEvents((await ask(gateway, { input: "hi", stream: true })).text);
  const told = { code: gone.code, message: gone.message };
  expect(wrong).toEqual([]);
  expect(events.slice(-2)).toMatchObject([
    { type: "error", error: told },
    { type: "response.failed", response: { status: "failed", error: told } },
  ]);
});
