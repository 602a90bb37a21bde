import {
  Tools,
  type ChatMessage,
  type Json,
  type ProviderFailure,
  type StopReason,
  type ToolSpec,
  type ToolUse,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { Tally, TurnDeps, TurnInput } from "./turn.ts";

/** One answer of the model, read to its end. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolUse[];
  /** What the provider wants back with its answer. */
  readonly providerData?: Json;
  readonly stop: StopReason;
  readonly failure?: ProviderFailure;
}

/** Asks the model once: shows its text as it comes, redacted, and adds to the tally what it cost. */
export async function collectCompletion(
  deps: TurnDeps,
  input: TurnInput,
  messages: readonly ChatMessage[],
  tally: Tally,
): Promise<Answer> {
  const { signal, onEvent } = input.options;
  const stream = deps.redaction.stream();
  const show = (text: string): void => {
    if (text !== "") onEvent?.({ type: "delta", text });
  };
  let text = "";
  const calls: ToolUse[] = [];
  let kept: Pick<Answer, "providerData"> = {};
  let end: Pick<Answer, "stop" | "failure"> = { stop: "Error" };
  onEvent?.({ type: "thinking" });
  const request = {
    messages,
    tools: offered(deps.registry),
    temperature: deps.temperature,
    session: input.session,
    signal,
  };
  for await (const event of deps.models.chat(input.want, request)) {
    if (event.type === "served") tally.served = { provider: event.provider, model: event.model };
    if (event.type === "text") text += event.text;
    if (event.type === "text") show(stream.push(event.text));
    if (event.type === "tool_call") calls.push(event.call);
    if (event.type === "provider_data") kept = { providerData: event.data };
    if (event.type === "usage") {
      tally.input += event.inputTokens;
      tally.output += event.outputTokens;
    }
    if (event.type === "stop") end = { stop: event.reason };
    if (event.type === "error") end = { stop: "Error", failure: event.failure };
  }
  show(stream.end());
  return { text, calls, ...kept, ...end };
}

/** What the model may call now. */
function offered(registry: Registry): readonly ToolSpec[] {
  const tools = [...(registry.get(Tools)?.values() ?? [])].filter((tool) => tool.offered?.() ?? true);
  return tools.map(({ name, description, input }) => ({ name, description, input }));
}
