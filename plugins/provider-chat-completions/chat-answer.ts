import { errors as common } from "@gantry/sdk";
import {
  type AnswerReader,
  asCount,
  asList,
  asObject,
  asText,
  cutAnswer,
  DONE,
  emptyAnswer,
  failure,
  failureInside,
  type JsonObject,
  usageEvent,
} from "@gantry/sdk/provider";
import type { ProviderEvent, StopReason } from "@gantry/sdk";
import { CallList } from "./call-list.ts";
import { errors } from "./errors.ts";
import { RawCalls } from "./raw-calls.ts";
import { Thoughts } from "./thoughts.ts";

/** Any other reason is a whole answer. */
const reasons: ReadonlyMap<string, StopReason> = new Map([
  ["length", "MaxTokens"],
  ["max_tokens", "MaxTokens"],
  ["content_filter", "ContentFilter"],
  ["tool_calls", "ToolUse"],
  ["function_call", "ToolUse"],
]);

export interface ChatAnswerOptions {
  readonly name: string;
  readonly model: string | undefined;
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  /** The option that the server lacks if it writes calls as text. */
  readonly toolOption: string;
  readonly secrets: readonly string[];
}

/** Reads a chat-completions answer: a stream of chunks, or the whole object. */
export class ChatAnswer implements AnswerReader {
  readonly #options: ChatAnswerOptions;
  readonly #calls = new CallList();
  readonly #raw: RawCalls | undefined;
  readonly #thoughts = new Thoughts();
  #reason: string | undefined;
  #usage: JsonObject | undefined;
  #model: string | undefined;
  #spoke = false;
  #done = false;
  over = false;

  constructor(options: ChatAnswerOptions) {
    this.#options = options;
    this.#raw = options.tools.length > 0 ? new RawCalls(options.tools) : undefined;
  }

  get closing(): boolean {
    return this.#reason !== undefined;
  }

  take(value: unknown): readonly ProviderEvent[] {
    if (this.over) return [];
    if (value === DONE) {
      this.#done = true;
      return this.end();
    }
    const { name, model, secrets } = this.#options;
    const chunk = asObject(value);
    if (!chunk) return this.#close(failed(common.PROVIDER_MALFORMED(name, "it is not a chat completion")));
    if (chunk.error)
      return this.#close({
        type: "error",
        failure: failureInside({ provider: name, model, secrets }, chunk.error),
      });
    this.#usage = asObject(chunk.usage) ?? this.#usage;
    this.#model ??= asText(chunk.model);
    const choice = asObject(asList(chunk.choices)[0]);
    if (!choice) return [];
    const said = asObject(choice.delta) ?? asObject(choice.message) ?? {};
    for (const call of asList(said.tool_calls)) this.#calls.add(call);
    this.#reason = asText(choice.finish_reason) || this.#reason;
    const thought = asText(said.reasoning_content) || asText(said.reasoning);
    const text = textOf(said.content) || (asText(said.refusal) ?? "");
    const answered = this.#say(this.#answered(this.#thoughts.take(text)));
    return thought ? [{ type: "thought", text: thought }, ...answered] : answered;
  }

  end(): readonly ProviderEvent[] {
    if (this.over) return [];
    const { name, toolOption } = this.#options;
    const late = this.#answered(this.#thoughts.end());
    const raw = this.#raw?.end();
    if (raw?.called && this.#calls.size === 0)
      return this.#close(failed(errors.CHAT_TOOLS_AS_TEXT(name, toolOption)));
    const rest = this.#say(late + (raw?.rest ?? ""));
    const whole = this.#reason === undefined ? this.#done : this.#reason !== "error";
    const stop = reasons.get(this.#reason ?? "stop") ?? "EndTurn";
    const nothing = !this.#spoke && this.#calls.size === 0;
    if (nothing && (!whole || this.#reason === undefined || stop === "ToolUse"))
      return this.#close(emptyAnswer(name));
    if (!whole) return [...rest, ...this.#close(cutAnswer(name))];
    const calls = this.#calls
      .calls(stop === "MaxTokens")
      .map((call) => ({ type: "tool_call" as const, call }));
    const reason = stop === "EndTurn" && calls.length > 0 ? "ToolUse" : stop;
    return [...rest, ...calls, ...this.#counted(), ...this.#close({ type: "stop", reason })];
  }

  #answered(text: string): string {
    return this.#raw ? this.#raw.take(text) : text;
  }

  #say(text: string): readonly ProviderEvent[] {
    if (text === "") return [];
    this.#spoke = true;
    return [{ type: "text", text }];
  }

  #counted(): readonly ProviderEvent[] {
    const usage = this.#usage ?? {};
    const { cached_tokens } = asObject(usage.prompt_tokens_details) ?? {};
    const { reasoning_tokens } = asObject(usage.completion_tokens_details) ?? {};
    return usageEvent({
      input: asCount(usage.prompt_tokens),
      output: asCount(usage.completion_tokens),
      cached: asCount(cached_tokens) ?? asCount(usage.prompt_cache_hit_tokens),
      reasoning: asCount(reasoning_tokens),
      model: this.#model,
    });
  }

  #close(event: ProviderEvent): readonly ProviderEvent[] {
    this.over = true;
    return [event];
  }
}

function failed(error: ReturnType<typeof common.PROVIDER_MALFORMED>): ProviderEvent {
  return { type: "error", failure: failure(error, error.code === "PROVIDER_MALFORMED") };
}

/** Text that comes as a string or as a list of text parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .map((part) => asText(asObject(part)?.text) ?? "")
    .join("");
}
