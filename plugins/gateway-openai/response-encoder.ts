import type { ServerEvent, StopReason, ToolUse, TurnResult } from "@gantry/sdk";
import type { Coded } from "./failure.ts";
import { errorBody } from "./failure.ts";
import type { Sent } from "./parameters.ts";
import { wordsOf } from "./reply-words.ts";
import { resourceOf, type ResponseHead, type ResponseState } from "./response-resource.ts";
import type { Encoder } from "./run-turn.ts";

const incomplete: Readonly<Partial<Record<StopReason, string>>> = {
  MaxTokens: "max_output_tokens",
  ContentFilter: "content_filter",
};

/** The objects and events of one response, numbered in their order. */
export class ResponseEncoder implements Encoder {
  readonly #head: ResponseHead;
  readonly #output: Sent[] = [];
  #number = 0;
  #text: string | undefined;

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  whole(result: TurnResult): Sent {
    for (const _ of this.#items(result)) continue;
    return this.#ended(result);
  }

  *first(): Iterable<ServerEvent> {
    const response = this.#resource({ status: "in_progress" });
    yield this.#event("response.created", { response });
    yield this.#event("response.in_progress", { response });
  }

  *text(delta: string): Iterable<ServerEvent> {
    const at = { output_index: 0, content_index: 0, item_id: this.#idOf("msg", 0) };
    if (this.#text === undefined) {
      this.#text = "";
      const item = this.#message([], "in_progress");
      yield this.#event("response.output_item.added", { output_index: 0, item });
      yield this.#event("response.content_part.added", { ...at, part: textPart("") });
    }
    this.#text += delta;
    yield this.#event("response.output_text.delta", { ...at, delta, logprobs: [] });
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
    const words = wordsOf(result);
    const rest = this.#text === undefined ? words : words.slice(reply.length);
    if (rest !== "" || (this.#text === undefined && calls.length === 0)) yield* this.text(rest);
    if (this.#text !== undefined) yield* this.#closed(this.#text, stateOf(result).status);
    for (const call of calls) yield* this.#call(call);
  }

  *#closed(text: string, status: string): Iterable<ServerEvent> {
    const at = { output_index: 0, content_index: 0, item_id: this.#idOf("msg", 0) };
    const part = textPart(text);
    const item = this.#message([part], status);
    yield this.#event("response.output_text.done", { ...at, text, logprobs: [] });
    yield this.#event("response.content_part.done", { ...at, part });
    yield* this.#done(item);
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
    return { type: "message", id: this.#idOf("msg", 0), status, role: "assistant", content };
  }

  #idOf(kind: "msg" | "fc", at: number): string {
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

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
