import {
  textParts,
  type ChatMessage,
  type Json,
  type ModelAnswer,
  type ModelRef,
  type ProviderFailure,
  type StopReason,
  type ToolUse,
} from "@gantry/sdk";
import type { RoutedEvent, Served } from "@gantry/sdk/fill";

/** One answer of the model, as far as it has come. */
export class Answer {
  text = "";
  readonly calls: ToolUse[] = [];
  /** The data that the provider wants back with its answer. */
  providerData: Json | undefined;
  stop: StopReason = "Error";
  failure: ProviderFailure | undefined;
  served: Served;
  cacheWriteTokens: number | undefined;
  /** As the server names it. */
  model: string | undefined;
  readonly usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };

  constructor({ provider = "none", model }: ModelRef) {
    this.served = { provider, model };
  }

  static failed(want: ModelRef, failure: ProviderFailure): Answer {
    const answer = new Answer(want);
    answer.failure = failure;
    return answer;
  }

  read(event: RoutedEvent): void {
    if (event.type === "served") {
      const { provider, model, server } = event;
      this.served = { provider, model, ...(server !== undefined && { server }) };
      this.model = undefined;
    } else if (event.type === "text") this.text += event.text;
    else if (event.type === "tool_call") this.calls.push(event.call);
    else if (event.type === "provider_data") this.providerData = event.data;
    else if (event.type === "stop") this.stop = event.reason;
    else if (event.type === "error") this.failure = event.failure;
    else if (event.type === "usage") {
      this.usage.inputTokens += event.inputTokens;
      this.usage.outputTokens += event.outputTokens;
      this.usage.cachedTokens += event.cachedTokens ?? 0;
      this.usage.reasoningTokens += event.reasoningTokens ?? 0;
      if (event.cacheWriteTokens !== undefined)
        this.cacheWriteTokens = (this.cacheWriteTokens ?? 0) + event.cacheWriteTokens;
      this.model = event.model ?? this.model;
    }
  }

  /** Returns who has answered, as observers are told. */
  told(): Served & Pick<ModelAnswer, "responseModel" | "cacheWriteTokens" | "stop"> {
    const { served, model, cacheWriteTokens, failure, stop } = this;
    return {
      ...served,
      stop: failure ? "Error" : stop,
      ...(model !== undefined && { responseModel: model }),
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    };
  }
}

/** Returns the answer as the conversation keeps it. */
export function asMessage({ text, calls, providerData }: Answer): ChatMessage {
  const message = { role: "assistant" as const, parts: text === "" ? [] : textParts(text), toolCalls: calls };
  return providerData === undefined ? message : { ...message, providerData };
}

/** Returns the result of a call that was not run. */
export function unanswered(call: ToolUse): ChatMessage {
  const parts = textParts("The turn ended before this was run.");
  return { role: "tool", callId: call.id, name: call.name, parts, failed: true };
}
