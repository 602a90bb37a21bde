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
  type JsonObject,
  usageEvent,
} from "@gantry/sdk/provider";
import type { Json, ProviderEvent, StopReason } from "@gantry/sdk";
import { RESPONSES } from "./responses-body.ts";

/** Reads the events of a response, over HTTP or a WebSocket, or the whole response object. */
export class ResponsesAnswer implements AnswerReader {
  readonly #name: string;
  readonly #model: string | undefined;
  readonly #secrets: readonly string[];
  readonly #called = new Set<string>();
  /** Sealed thoughts by their id: the server wants them back, since it keeps nothing. */
  readonly #thoughts = new Map<unknown, JsonObject>();
  #spoke = false;
  readonly closing = false;
  over = false;

  constructor(name: string, model: string | undefined, secrets: readonly string[]) {
    this.#name = name;
    this.#model = model;
    this.#secrets = secrets;
  }

  take(value: unknown): readonly ProviderEvent[] {
    if (this.over) return [];
    if (value === DONE) return this.end();
    const event = asObject(value);
    if (!event)
      return this.#close({
        type: "error",
        failure: failure(errors.PROVIDER_MALFORMED(this.#name, "it is not a response"), true),
      });
    if (event.object === "response") return this.#whole(event);
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#say(asText(event.delta) ?? "");
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        return [{ type: "thought", text: asText(event.delta) ?? "" }];
      case "response.output_item.done":
        return this.#item(asObject(event.item) ?? {});
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#whole(asObject(event.response) ?? {});
      case "error":
        return this.#fail(asObject(event.error) ?? event, event.status);
      default:
        return event.type === undefined && event.error ? this.#fail(event.error, event.status) : [];
    }
  }

  end(): readonly ProviderEvent[] {
    if (this.over) return [];
    return this.#close(
      this.#spoke || this.#called.size > 0 ? cutAnswer(this.#name) : emptyAnswer(this.#name),
    );
  }

  /** The response as it stands at its end: what was not streamed before, the usage, the reason. */
  #whole(response: JsonObject): readonly ProviderEvent[] {
    if (response.status === "failed" || response.error) return this.#fail(response.error, undefined);
    const output = asList(response.output).map((item) => asObject(item) ?? {});
    const late = this.#spoke
      ? []
      : output.flatMap((item) => asList(item.content)).map((part) => asObject(part) ?? {});
    const text = late.map((part) => asText(part.text) ?? asText(part.refusal) ?? "").join("");
    const events = [...this.#say(text), ...output.flatMap((item) => this.#item(item)), ...this.#sealed()];
    const usage = asObject(response.usage) ?? {};
    return [
      ...events,
      ...usageEvent({
        input: asCount(usage.input_tokens),
        output: asCount(usage.output_tokens),
        cached: asCount(asObject(usage.input_tokens_details)?.cached_tokens),
        reasoning: asCount(asObject(usage.output_tokens_details)?.reasoning_tokens),
        model: asText(response.model),
      }),
      ...this.#close({ type: "stop", reason: this.#reason(response) }),
    ];
  }

  #reason(response: JsonObject): StopReason {
    const why = asText(asObject(response.incomplete_details)?.reason);
    if (response.status === "incomplete") return why === "content_filter" ? "ContentFilter" : "MaxTokens";
    return this.#called.size > 0 ? "ToolUse" : "EndTurn";
  }

  #item(item: JsonObject): readonly ProviderEvent[] {
    if (item.type === "reasoning" && asText(item.encrypted_content)) this.#thoughts.set(item.id, item);
    return this.#call(item);
  }

  #sealed(): readonly ProviderEvent[] {
    if (this.#thoughts.size === 0) return [];
    const items = [...this.#thoughts.values()] as unknown as readonly Json[];
    return [{ type: "provider_data", data: { [RESPONSES]: items } }];
  }

  #call(item: JsonObject): readonly ProviderEvent[] {
    const name = asText(item.name);
    if (item.type !== "function_call" || !name || item.status === "incomplete") return [];
    const id = asText(item.call_id) || asText(item.id) || `call_${randomUUID()}`;
    if (this.#called.has(id)) return [];
    this.#called.add(id);
    return [{ type: "tool_call", call: { id, name, args: asText(item.arguments)?.trim() || "{}" } }];
  }

  #fail(error: unknown, status: unknown): readonly ProviderEvent[] {
    const facts = { status, ...asObject(error) };
    return this.#close({
      type: "error",
      failure: failureInside({ provider: this.#name, model: this.#model, secrets: this.#secrets }, facts),
    });
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
