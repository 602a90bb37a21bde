import { errors, textOf } from "@gantry/sdk";
import type { ChatMessage, ChatRequest, Provider, ProviderEvent } from "@gantry/sdk";
import { understand } from "./requests.ts";
import type { Wish } from "./requests.ts";
import { HONEST, missingTool, notUnderstood, summary } from "./words.ts";
import type { ResultText } from "./words.ts";

const LONGEST = 4_000;
/** Marks that tell a model which text came from outside; a person needs none. */
const MARKED = /<<untrusted ([0-9a-f]+) from [^>\n]*>>\n([^]*?)\n<<end \1>>/g;

/**
 * A provider without a model: it knows a few plain requests, and what it does it does through the
 * real tools.
 */
export const demo: Provider = {
  name: "demo",
  capabilities: { nativeToolCalling: true, vision: false, streaming: true },
  async *chat(request) {
    let written = 0;
    for (const event of answer(request)) {
      if (request.signal.aborted) {
        const { code, message } = errors.PROVIDER_CANCELLED("the demo");
        yield { type: "error", failure: { code, message, retry: false } };
        return;
      }
      if (event.type === "text") written += event.text.length;
      if (event.type === "stop") yield usage(request, written);
      yield event;
    }
  },
  models: async () => ["demo"],
  contextWindow: async () => 128_000,
  warmup: async () => "The demo needs no network and no credential: it is ready.",
  credential: async () => "none",
};

function* answer(request: ChatRequest): Generator<ProviderEvent> {
  const results = lastResults(request.messages);
  if (results.length > 0) {
    yield* say(results.map(([wish, result]) => summary(wish, result)).join("\n\n"));
    return;
  }
  const offered = new Set(request.tools.map((tool) => tool.name));
  const text = lastUserText(request.messages);
  const wishes = text.length > LONGEST ? [] : understand(text);
  const missing = wishes.find((wish) => !offered.has(wish.tool));
  if (missing) yield* say(missingTool(missing));
  else if (wishes.length === 0) yield* say(notUnderstood(text, offered));
  else {
    let id = lastId(request.messages);
    for (const { tool, args } of wishes) {
      yield { type: "tool_call", call: { id: `demo-${++id}`, name: tool, args: JSON.stringify(args) } };
    }
    yield { type: "stop", reason: "ToolUse" };
  }
}

function* say(text: string): Generator<ProviderEvent> {
  for (const piece of `${HONEST}\n\n${text}`.match(/\s*\S+\s*/g) ?? []) yield { type: "text", text: piece };
  yield { type: "stop", reason: "EndTurn" };
}

/** Results that arrived after the last thing the user said, each with the call it answers. */
function lastResults(messages: readonly ChatMessage[]): [Wish, ResultText][] {
  const since = messages.slice(messages.findLastIndex((message) => message.role === "user") + 1);
  const calls = new Map(
    since
      .flatMap((message) => (message.role === "assistant" ? message.toolCalls : []))
      .map((call) => [call.id, call]),
  );
  return since.flatMap((message) => {
    if (message.role !== "tool") return [];
    return [
      [
        { tool: message.name, args: readArgs(calls.get(message.callId)?.args) },
        { failed: message.failed, text: textOf(message.parts).replace(MARKED, "$2") },
      ],
    ];
  });
}

function readArgs(json: string | undefined): Wish["args"] {
  try {
    const value: unknown = JSON.parse(json ?? "{}");
    return typeof value === "object" && value !== null ? (value as Wish["args"]) : {};
  } catch {
    return {};
  }
}

function lastUserText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  return last
    ? textOf(last.parts.filter(({ type }) => type === "text"))
        .replace(MARKED, "$2")
        .trim()
    : "";
}

function lastId(messages: readonly ChatMessage[]): number {
  const ids = messages
    .flatMap((message) => (message.role === "assistant" ? message.toolCalls : []))
    .map((call) => call.id);
  return Math.max(0, ...ids.map((id) => Number(/^demo-(\d{1,15})$/.exec(id)?.[1] ?? 0)));
}

/**
 * There are no tokens here: about four characters are counted as one, so that accounting can be
 * seen working.
 */
function usage(request: ChatRequest, written: number): ProviderEvent {
  const read = request.messages.reduce((sum, message) => sum + textOf(message.parts).length, 0);
  return { type: "usage", inputTokens: Math.ceil(read / 4), outputTokens: Math.ceil(written / 4) };
}
