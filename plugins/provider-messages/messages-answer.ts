import { randomUUID } from "node:crypto";
import { errors } from "@gantry/sdk";
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
  isJson,
  type JsonObject,
  usageEvent,
} from "@gantry/sdk/provider";
import type { ProviderEvent, StopReason } from "@gantry/sdk";

/** Any other reason is a whole answer. */
const reasons: ReadonlyMap<string, StopReason> = new Map([
  ["max_tokens", "MaxTokens"],
  ["model_context_window_exceeded", "MaxTokens"],
  ["tool_use", "ToolUse"],
  ["refusal", "ContentFilter"],
]);

interface Call {
  readonly id: string;
  readonly name: string;
  /** The input that came with the start of the block; pieces go before it. */
  readonly input: unknown;
  readonly pieces: string[];
}

/** Reads an answer in the messages format: a stream of events, or the whole message. */
export class MessagesAnswer implements AnswerReader {
  readonly #about: {
    readonly provider: string;
    readonly model: string | undefined;
    readonly secrets: readonly string[];
  };
  readonly #calls: Call[] = [];
  /** By the index of its block, which some servers leave out. */
  readonly #open = new Map<unknown, Call>();
  #reason: string | undefined;
  #input: number | undefined;
  #output: number | undefined;
  /** From the cache, and into it. */
  #read: number | undefined;
  #written: number | undefined;
  #model: string | undefined;
  #spoke = false;
  over = false;

  constructor(provider: string, model: string | undefined, secrets: readonly string[]) {
    this.#about = { provider, model, secrets };
  }

  get closing(): boolean {
    return this.#reason !== undefined;
  }

  take(value: unknown): readonly ProviderEvent[] {
    if (this.over) return [];
    // Relays for other formats write it too.
    if (value === DONE) return this.end();
    const event = asObject(value);
    if (!event)
      return this.#close(failed(errors.PROVIDER_MALFORMED(this.#about.provider, "it is not a message")));
    if (event.error) return this.#close({ type: "error", failure: failureInside(this.#about, event.error) });
    switch (event.type) {
      case "message":
        return this.#whole(event);
      case undefined:
        return Array.isArray(event.content) ? this.#whole(event) : [];
      case "message_start":
        this.#count(asObject(event.message)?.usage);
        this.#model = asText(asObject(event.message)?.model);
        return [];
      case "content_block_start":
        return this.#start(event.index, asObject(event.content_block) ?? {});
      case "content_block_delta":
        return this.#delta(event.index, asObject(event.delta) ?? {});
      case "message_delta":
        this.#count(event.usage);
        this.#reason = asText(asObject(event.delta)?.stop_reason) || this.#reason;
        return [];
      case "message_stop":
        this.#reason ??= "end_turn";
        return this.end();
      default:
        return [];
    }
  }

  end(): readonly ProviderEvent[] {
    if (this.over) return [];
    const { provider } = this.#about;
    const stop = reasons.get(this.#reason ?? "") ?? "EndTurn";
    const nothing = !this.#spoke && this.#calls.length === 0;
    if (nothing && (this.#reason === undefined || stop === "ToolUse"))
      return this.#close(emptyAnswer(provider));
    if (this.#reason === undefined) return this.#close(cutAnswer(provider));
    const calls = this.#toolCalls(stop === "MaxTokens");
    const reason = stop === "EndTurn" && calls.length > 0 ? "ToolUse" : stop;
    return [...calls, ...this.#counted(), ...this.#close({ type: "stop", reason })];
  }

  #whole(message: JsonObject): readonly ProviderEvent[] {
    this.#count(message.usage);
    this.#model = asText(message.model);
    this.#reason = asText(message.stop_reason) || "end_turn";
    return [
      ...asList(message.content).flatMap((block, index) => this.#start(index, asObject(block) ?? {})),
      ...this.end(),
    ];
  }

  #start(index: unknown, block: JsonObject): readonly ProviderEvent[] {
    if (block.type === "text") return this.#say(asText(block.text) ?? "");
    if (block.type === "thinking") return thoughtOf(block.thinking);
    const name = asText(block.name);
    if (block.type === "tool_use" && name) {
      const call: Call = {
        id: asText(block.id) || `toolu_${randomUUID()}`,
        name,
        input: block.input,
        pieces: [],
      };
      this.#calls.push(call);
      this.#open.set(index, call);
    }
    return [];
  }

  #delta(index: unknown, delta: JsonObject): readonly ProviderEvent[] {
    if (delta.type === "text_delta") return this.#say(asText(delta.text) ?? "");
    if (delta.type === "thinking_delta") return thoughtOf(delta.thinking);
    if (delta.type === "input_json_delta")
      this.#open.get(index)?.pieces.push(asText(delta.partial_json) ?? "");
    return [];
  }

  /** Calls in order; where the answer was cut, only those whose arguments are whole. */
  #toolCalls(wholeOnly: boolean): readonly ProviderEvent[] {
    return this.#calls.flatMap(({ id, name, input, pieces }) => {
      const args = pieces.join("").trim() || JSON.stringify(input ?? {});
      return wholeOnly && !isJson(args) ? [] : [{ type: "tool_call" as const, call: { id, name, args } }];
    });
  }

  #count(usage: unknown): void {
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
      asObject(usage) ?? {};
    this.#input = asCount(input_tokens) || this.#input;
    this.#output = asCount(output_tokens) ?? this.#output;
    this.#read = asCount(cache_read_input_tokens) ?? this.#read;
    this.#written = asCount(cache_creation_input_tokens) ?? this.#written;
  }

  #counted(): readonly ProviderEvent[] {
    // Here `input_tokens` leaves out what was read from the cache and written into it.
    const counted = [this.#input, this.#read, this.#written].filter((count) => count !== undefined);
    const input = counted.length > 0 ? counted.reduce((sum, count) => sum + count, 0) : undefined;
    const more = { cacheWrite: this.#written, model: this.#model };
    return usageEvent({ input, output: this.#output, cached: this.#read, ...more });
  }

  #say(text: string): readonly ProviderEvent[] {
    if (text === "") return [];
    this.#spoke = true;
    return [{ type: "text", text }];
  }

  #close(event: ProviderEvent): readonly ProviderEvent[] {
    this.over = true;
    return [event];
  }
}

function thoughtOf(value: unknown): readonly ProviderEvent[] {
  const text = asText(value) ?? "";
  return text === "" ? [] : [{ type: "thought", text }];
}

function failed(error: ReturnType<typeof errors.PROVIDER_MALFORMED>): ProviderEvent {
  return { type: "error", failure: failure(error, true) };
}
