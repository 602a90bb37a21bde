import { type ChatMessage, type MediaRef, type ToolSpec } from "@gantry/sdk";
import { isPromise } from "@gantry/sdk/node";
import { Answer } from "./answer.ts";
import { countedTokens } from "./counted-tokens.ts";
import { factsOf, type TurnDeps, type TurnInput } from "./turn.ts";

/** One request to the model. */
export interface Completion {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  /** `turn`, whose answer is shown as it comes, or `summary`. */
  readonly purpose: string;
}

/** Asks the model once: shows its text as it comes, redacted, and tells observers what it cost. */
export async function collectCompletion(
  deps: TurnDeps,
  input: TurnInput,
  { messages, tools, purpose }: Completion,
): Promise<Answer> {
  const { session, options, context } = input;
  const { want, effort, budget } = context;
  let stream = input.redaction.stream();
  let type: "delta" | "thought" = "delta";
  const isShown = purpose === "turn";
  const show = (text: string): void => {
    if (text !== "" && isShown) options.onEvent?.({ type, text });
  };
  const answer = new Answer(want);
  let clock = new Clock();
  let isAsking = false;
  const counted = () => countedTokens({ messages, tools }, answer);
  const tell = (outcome: string): void => {
    const facts = { ...factsOf(input), purpose, ...answer.told(), ...counted() };
    deps.observers.tell("modelAnswered", { ...facts, ...clock.times(), outcome });
  };
  if (isShown) options.onEvent?.({ type: "thinking" });
  const request = {
    messages,
    tools,
    temperature: options.temperature ?? deps.temperature,
    media: (ref: MediaRef) => deps.media.open(ref),
    session,
    signal: options.signal,
    ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
    ...(effort !== undefined && { effort }),
    ...(isShown && options.mustCall && { mustCall: options.mustCall }),
  };
  for await (const event of deps.models.chat(want, request)) {
    if (event.type === "served") {
      // Somebody was asked before, without success.
      if (isAsking) tell("PROVIDER_FALLBACK");
      [clock, isAsking] = [new Clock(), true];
    } else if (event.type === "text" || event.type === "tool_call") clock.first();
    answer.read(event);
    if (event.type !== "text" && (event.type !== "thought" || !options.thoughts)) continue;
    const next = event.type === "text" ? "delta" : "thought";
    if (next !== type && event.text !== "") {
      show(await stream.end());
      [stream, type] = [input.redaction.stream(), next];
    }
    const shown = stream.push(event.text);
    show(isPromise(shown) ? await shown : shown);
  }
  show(await stream.end());
  const { inputTokens, outputTokens } = counted();
  budget.spend(inputTokens + outputTokens);
  const { failure } = answer;
  if (failure)
    deps.log.debug({ lane: session, err: failure.cause }, `The model gave no answer: ${failure.message}`);
  tell(failure?.code ?? "ok");
  return answer;
}

/** A clock for the time that one provider takes. */
class Clock {
  readonly #began = performance.now();
  readonly #started = Date.now();
  #first: number | undefined;

  first(): void {
    this.#first ??= performance.now() - this.#began;
  }

  times(): { readonly started: number; readonly ms: number; readonly firstMs: number | undefined } {
    return { started: this.#started, ms: performance.now() - this.#began, firstMs: this.#first };
  }
}
