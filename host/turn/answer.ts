import type { Json, ModelRef, ProviderFailure, RoutedEvent, Served, StopReason, ToolUse } from "@gantry/sdk";

/** One answer of the model, as far as it has come. */
export class Answer {
  text = "";
  readonly calls: ToolUse[] = [];
  /** What the provider wants back with its answer. */
  providerData: Json | undefined;
  stop: StopReason = "Error";
  failure: ProviderFailure | undefined;
  served: Served;
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
    if (event.type === "served") this.served = { provider: event.provider, model: event.model };
    else if (event.type === "text") this.text += event.text;
    else if (event.type === "tool_call") this.calls.push(event.call);
    else if (event.type === "provider_data") this.providerData = event.data;
    else if (event.type === "stop") this.stop = event.reason;
    else if (event.type === "error") this.failure = event.failure;
    else if (event.type === "usage") {
      this.usage.inputTokens += event.inputTokens;
      this.usage.outputTokens += event.outputTokens;
      this.usage.cachedTokens += event.cachedTokens ?? 0;
      this.usage.reasoningTokens += event.reasoningTokens ?? 0;
    }
  }
}
