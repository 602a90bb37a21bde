import type { ServerEvent, StopReason, ToolUse, TurnResult } from "@gantry/sdk";
import type { Coded } from "./failure.ts";
import { errorBody } from "./failure.ts";
import type { Sent } from "./parameters.ts";
import { wordsOf } from "./reply-words.ts";
import { resourceOf, type ResponseHead, type ResponseState } from "./response-resource.ts";
import type { Encoder, Piece } from "./run-turn.ts";

const incomplete: Readonly<Partial<Record<StopReason, string>>> = {
  MaxTokens: "max_output_tokens",
  ContentFilter: "content_filter",
};

/** The objects and events of one response, numbered in their order. */
export class ResponseEncoder implements Encoder {
  readonly #head: ResponseHead;
  readonly #output: Sent[] = [];
  #number = 0;
  /** The item that is being told. */
  #open: { readonly kind: "msg" | "rs"; text: string } | undefined;
  /** Characters of the answer in items that are told. */
  #told = 0;

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  whole(result: TurnResult, pieces: readonly Piece[] = []): Sent {
    for (const { type, text } of pieces)
      for (const _ of type === "thought" ? this.thought(text) : this.text(text)) continue;
    for (const _ of this.#items(result)) continue;
    return this.#ended(result);
  }

  *first(): Iterable<ServerEvent> {
    const response = this.#resource({ status: "in_progress" });
    yield this.#event("response.created", { response });
    yield this.#event("response.in_progress", { response });
  }

  *text(delta: string): Iterable<ServerEvent> {
    if (this.#open?.kind !== "msg") {
      yield* this.#closed("completed");
      this.#open = { kind: "msg", text: "" };
      const { output_index } = this.#place("msg");
      const item = this.#message([], "in_progress");
      yield this.#event("response.output_item.added", { output_index, item });
      yield this.#event("response.content_part.added", { ...this.#content(), part: textPart("") });
    }
    this.#open.text += delta;
    this.#told += delta.length;
    yield this.#event("response.output_text.delta", { ...this.#content(), delta, logprobs: [] });
  }

  *thought(delta: string): Iterable<ServerEvent> {
    if (this.#open?.kind !== "rs") {
      yield* this.#closed("completed");
      this.#open = { kind: "rs", text: "" };
      const { item_id: id, output_index } = this.#place("rs");
      const item = { type: "reasoning", id, summary: [] };
      yield this.#event("response.output_item.added", { output_index, item });
      const part = summaryPart("");
      yield this.#event("response.reasoning_summary_part.added", { ...this.#summary(), part });
    }
    this.#open.text += delta;
    yield this.#event("response.reasoning_summary_text.delta", { ...this.#summary(), delta });
  }

  *last(result: TurnResult): Iterable<ServerEvent> {
    yield* this.#items(result);
    const response = this.#ended(result);
    yield this.#event(`response.${String(response["status"])}`, { response });
    yield { raw: "data: [DONE]\n\n" };
  }

  *failed(error: Coded, status: number): Iterable<ServerEvent> {
    yield this.#event("error", errorBody(error, status) as Sent);
    const { code, message } = error;
    const response = this.#resource({ status: "failed", error: { code, message } });
    yield this.#event("response.failed", { response });
    yield { raw: "data: [DONE]\n\n" };
  }

  /** Yields what is left to tell of the items. */
  *#items(result: TurnResult): Iterable<ServerEvent> {
    const { reply, client_calls: calls = [] } = result;
    const isTold = this.#told > 0;
    const rest = isTold ? wordsOf(result).slice(reply.length) : wordsOf(result);
    if (rest !== "" || (!isTold && calls.length === 0)) yield* this.text(rest);
    yield* this.#closed(stateOf(result).status);
    for (const call of calls) yield* this.#call(call);
  }

  /** Yields the end of the item that is being told. */
  *#closed(status: string): Iterable<ServerEvent> {
    const { kind, text } = this.#open ?? {};
    if (text === undefined) return;
    if (kind === "rs") yield* this.#thoughtEnded(text);
    else {
      const part = textPart(text);
      yield this.#event("response.output_text.done", { ...this.#content(), text, logprobs: [] });
      yield this.#event("response.content_part.done", { ...this.#content(), part });
      yield* this.#done(this.#message([part], status));
    }
    this.#open = undefined;
  }

  *#thoughtEnded(text: string): Iterable<ServerEvent> {
    const part = summaryPart(text);
    const { item_id: id } = this.#place("rs");
    yield this.#event("response.reasoning_summary_text.done", { ...this.#summary(), text });
    yield this.#event("response.reasoning_summary_part.done", { ...this.#summary(), part });
    yield* this.#done({ type: "reasoning", id, summary: [part] });
  }

  *#call({ id, name, args }: ToolUse): Iterable<ServerEvent> {
    const output_index = this.#output.length;
    const item_id = this.#idOf("fc", output_index);
    const call = { type: "function_call", id: item_id, call_id: id, name };
    const begun = { ...call, arguments: "", status: "in_progress" };
    yield this.#event("response.output_item.added", { output_index, item: begun });
    const at = { item_id, output_index };
    yield this.#event("response.function_call_arguments.delta", { ...at, delta: args });
    yield this.#event("response.function_call_arguments.done", { ...at, name, arguments: args });
    yield* this.#done({ ...call, arguments: args, status: "completed" });
  }

  *#done(item: Sent): Iterable<ServerEvent> {
    const output_index = this.#output.push(item) - 1;
    yield this.#event("response.output_item.done", { output_index, item });
  }

  #message(content: readonly object[], status: string): Sent {
    const { item_id: id } = this.#place("msg");
    return { type: "message", id, status, role: "assistant", content };
  }

  /** Returns the place of the next item that ends. */
  #place(kind: "msg" | "rs"): { readonly item_id: string; readonly output_index: number } {
    const output_index = this.#output.length;
    return { output_index, item_id: this.#idOf(kind, output_index) };
  }

  #content(): object {
    return { ...this.#place("msg"), content_index: 0 };
  }

  #summary(): object {
    return { ...this.#place("rs"), summary_index: 0 };
  }

  #idOf(kind: "msg" | "fc" | "rs", at: number): string {
    return `${kind}_${this.#head.id.slice("resp_".length)}${at}`;
  }

  #ended(result: TurnResult): Sent {
    const { usage } = result;
    return this.#resource({ ...stateOf(result), usage });
  }

  #resource(state: Omit<ResponseState, "output">): Sent {
    return resourceOf(this.#head, { ...state, output: [...this.#output] });
  }

  #event(type: string, more: Sent): ServerEvent {
    const data = { type, sequence_number: this.#number, ...more };
    this.#number += 1;
    return { event: type, data };
  }
}

function stateOf({ stop_reason: stop }: TurnResult): Pick<ResponseState, "status" | "reason"> {
  const reason = incomplete[stop];
  return reason === undefined ? { status: "completed" } : { status: "incomplete", reason };
}

function summaryPart(text: string): object {
  return { type: "summary_text", text };
}

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
