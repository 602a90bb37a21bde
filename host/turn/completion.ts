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
  const stream = input.redaction.stream();
  const isShown = purpose === "turn";
  const show = (text: string): void => {
    if (text !== "" && isShown) options.onEvent?.({ type: "delta", text });
  };
  const answer = new Answer(want);
  const clock = new Clock();
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
      if (clock.isAsking) tell("PROVIDER_FALLBACK");
      clock.begin();
    } else if (event.type === "text" || event.type === "tool_call") clock.first();
    answer.read(event);
    if (event.type !== "text") continue;
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
  isAsking = false;
  #began: number = performance.now();
  #started: number = Date.now();
  #first: number | undefined;

  begin(): void {
    this.isAsking = true;
    this.#began = performance.now();
    this.#started = Date.now();
    this.#first = undefined;
  }

  first(): void {
    this.#first ??= performance.now();
  }

  times(): { readonly started: number; readonly ms: number; readonly firstMs: number | undefined } {
    const firstMs = this.#first === undefined ? undefined : this.#first - this.#began;
    return { started: this.#started, ms: performance.now() - this.#began, firstMs };
  }
}
