import { randomBytes } from "node:crypto";
import { describeMedia, type StopReason, type ToolUse, type TurnResult } from "@gantry/sdk";

const reasons: Readonly<Partial<Record<StopReason, string>>> = {
  EndTurn: "stop",
  MaxTokens: "length",
  ContentFilter: "content_filter",
  ToolUse: "tool_calls",
};

/** The objects of one answer: whole, or piece by piece. */
export class Completion {
  readonly #base: { readonly id: string; readonly created: number; readonly model: string };

  constructor(model: string) {
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

  /** The chunk that says who speaks. */
  first(): object {
    return this.#chunk({ role: "assistant", content: "" });
  }

  text(content: string): object {
    return this.#chunk({ content });
  }

  /** What is left to say when the turn has ended. */
  *last(result: TurnResult, includeUsage: boolean): Iterable<object> {
    const { tool_calls: calls = [] } = callsOf(result.client_calls);
    const lines = wordsOf({ ...result, reply: "" });
    if (lines !== "") yield this.text(result.reply === "" ? lines : `\n\n${lines}`);
    if (calls.length > 0) yield this.#chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
    yield this.#chunk({}, reasonOf(result));
    if (includeUsage) {
      const chunk = { ...this.#base, object: "chat.completion.chunk", choices: [] };
      yield { ...chunk, usage: usageOf(result) };
    }
  }

  #chunk(delta: object, reason: string | null = null): object {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
    return { ...this.#base, object: "chat.completion.chunk", choices };
  }
}

/** The reply, and a line for each file that was handed over: the format has no other place for one. */
function wordsOf({ reply, files = [] }: TurnResult): string {
  const lines = files.map(describeMedia).join("\n");
  return [reply, lines].filter((text) => text !== "").join("\n\n");
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
