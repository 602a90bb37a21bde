import { randomBytes } from "node:crypto";
import type { ServerEvent, StopReason, ToolUse, TurnResult } from "@gantry/sdk";
import { errorBody, type Coded } from "./failure.ts";
import { wordsOf } from "./reply-words.ts";
import type { Encoder } from "./run-turn.ts";

const reasons: Readonly<Partial<Record<StopReason, string>>> = {
  EndTurn: "stop",
  MaxTokens: "length",
  ContentFilter: "content_filter",
  ToolUse: "tool_calls",
};

/** The objects of one chat completion. */
export class Completion implements Encoder {
  readonly #base: { readonly id: string; readonly created: number; readonly model: string };
  readonly #includeUsage: boolean;
  #isShown = false;

  constructor(model: string, includeUsage: boolean) {
    this.#includeUsage = includeUsage;
    const id = `chatcmpl-${randomBytes(12).toString("hex")}`;
    this.#base = { id, created: Math.floor(Date.now() / 1_000), model };
  }

  whole(result: TurnResult): object {
    const calls = callsOf(result.client_calls);
    const message = { role: "assistant", content: wordsOf(result) || null, refusal: null, ...calls };
    return {
      ...this.#base,
      object: "chat.completion",
      choices: [{ index: 0, message, logprobs: null, finish_reason: reasonOf(result) }],
      usage: usageOf(result),
    };
  }

  /** Yields the chunk that says who speaks. */
  *first(): Iterable<ServerEvent> {
    yield this.#chunk({ role: "assistant", content: "" });
  }

  *text(content: string): Iterable<ServerEvent> {
    this.#isShown = true;
    yield this.#chunk({ content });
  }

  *last(result: TurnResult): Iterable<ServerEvent> {
    const { tool_calls: calls = [] } = callsOf(result.client_calls);
    if (!this.#isShown && result.reply !== "") yield* this.text(result.reply);
    const lines = wordsOf({ ...result, reply: "" });
    if (lines !== "") yield* this.text(result.reply === "" ? lines : `\n\n${lines}`);
    if (calls.length > 0) {
      yield this.#chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
    }
    yield this.#chunk({}, reasonOf(result));
    if (this.#includeUsage) {
      const chunk = { ...this.#base, object: "chat.completion.chunk", choices: [] };
      yield { data: { ...chunk, usage: usageOf(result) } };
    }
    yield { raw: "data: [DONE]\n\n" };
  }

  *failed(error: Coded, status: number): Iterable<ServerEvent> {
    yield { data: errorBody(error, status) };
  }

  #chunk(delta: object, reason: string | null = null): ServerEvent {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
    return { data: { ...this.#base, object: "chat.completion.chunk", choices } };
  }
}

function reasonOf({ stop_reason: stop }: TurnResult): string {
  return reasons[stop] ?? "stop";
}

function callsOf(calls: readonly ToolUse[] = []): { tool_calls?: readonly object[] } {
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    })),
  };
}

function usageOf({ usage }: TurnResult): object {
  const { input_tokens: input, output_tokens: output } = usage;
  const { cached_tokens: cached, reasoning_tokens: reasoning } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
