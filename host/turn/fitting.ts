import {
  History,
  Store,
  textOf,
  type ChatMessage,
  type FittedHistory,
  type HistoryRequest,
  type ProviderFailure,
  type ToolSpec,
} from "@gantry/sdk";
import { isWholeConversation } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import { collectCompletion } from "./completion.ts";
import type { Transcript } from "./transcript.ts";
import { factsOf, type TurnDeps, type TurnInput } from "./turn.ts";

/** The frame that goes with every request; the plugin counts it. */
export interface Overhead {
  readonly system: ChatMessage;
  readonly tools: readonly ToolSpec[];
}

/** Has the loaded History make a conversation fit; keeps the outcome in one step or not at all. */
export class Fitting {
  readonly #deps: TurnDeps;
  readonly #input: TurnInput;
  #generation: number;

  constructor(deps: TurnDeps, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    this.#generation = input.view.generation;
  }

  /** Returns true if what was sent before changed. Never throws: a failure leaves all as it was. */
  async fit(
    transcript: Transcript,
    overhead: Overhead,
    reason: HistoryRequest["reason"],
    failure?: ProviderFailure,
  ): Promise<boolean> {
    const history = this.#deps.registry.get(History);
    if (!history) return false;
    try {
      const fitted = await history.fit(this.#request(transcript, overhead, reason, failure));
      if (!fitted) return false;
      if (!isWholeConversation([...fitted.earlier, ...fitted.current]))
        throw new Error("it gave back a conversation in which a call and its result are apart");
      return await this.#keep(transcript, fitted);
    } catch (error) {
      this.#deps.log.warn(
        { lane: this.#input.session, err: asError(error) },
        `The conversation was not made shorter: ${asError(error).message}`,
      );
      return false;
    }
  }

  /** Begins the session again if nothing else helps: people still read what was before. */
  async startOver(transcript: Transcript): Promise<void> {
    await this.#keep(transcript, { earlier: [], current: transcript.current });
  }

  /** Returns true if something that was sent before is another text now. */
  async #keep(transcript: Transcript, fitted: FittedHistory): Promise<boolean> {
    const { session, options } = this.#input;
    if (options.keep === false || !transcript.changes(fitted)) {
      transcript.replace(fitted, transcript.boundary);
      return false;
    }
    // The text sent before is another one now, so nothing is lost by a new word for the marks.
    const sessions = this.#deps.registry.get(Store)?.sessions;
    await sessions?.compact(session, this.#generation, this.#deps.redaction.kept(fitted.earlier));
    this.#generation += 1;
    transcript.replace(fitted, await this.#deps.words.of(session, this.#generation));
    return true;
  }

  #request(
    transcript: Transcript,
    { system, tools }: Overhead,
    reason: HistoryRequest["reason"],
    failure: ProviderFailure | undefined,
  ): HistoryRequest {
    const { context, options } = this.#input;
    const { earlier, current, sent } = transcript;
    return {
      ...factsOf(this.#input),
      reason,
      earlier,
      current,
      sent,
      failure,
      overhead: textOf(system.parts).length + JSON.stringify(tools).length,
      model: context.want,
      mostTurns: this.#deps.maxTurns,
      signal: options.signal,
      complete: (messages) => this.#complete(transcript, messages),
    };
  }

  async #complete(transcript: Transcript, messages: readonly ChatMessage[]): Promise<string> {
    const marked = transcript.boundary.marked(messages);
    const request = { messages: marked, tools: [], purpose: "summary" };
    const { text, failure } = await collectCompletion(this.#deps, this.#input, request);
    if (failure) throw new Error(failure.message);
    return text;
  }
}
