import {
  textParts,
  type ChatMessage,
  type GantryError,
  type PromptScene,
  type ToolUse,
  type TurnFacts,
} from "@gantry/sdk";
import type { Served } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { asError } from "@gantry/sdk/node";
import { scopesOf } from "../tools/scopes.ts";
import { runIn } from "../tools/workspace-now.ts";
import { Answer, asMessage, unanswered } from "./answer.ts";
import { runCalls, type CallResult } from "./calls.ts";
import { collectCompletion } from "./completion.ts";
import { Fitting, type Overhead } from "./fitting.ts";
import { handedOver } from "./handed-over.ts";
import { asQuoted, asSaid, withoutSlash } from "./said.ts";
import { Spending } from "./spending.ts";
import { broughtByPrompt, notesOf, speakerNote, systemPrompt } from "./system-prompt.ts";
import { Transcript } from "./transcript.ts";
import { factsOf, failedTurn, noUsage, type Turn, type TurnDeps, type TurnInput } from "./turn.ts";

const overflow = errors.PROVIDER_OVERFLOW.code;
/** The model's server would refuse the same messages again. */
const refusals: readonly string[] = [errors.PROVIDER_REQUEST.code, overflow, errors.CONTEXT_FULL.code];

type Ending = Pick<Answer, "stop"> & Partial<Pick<Answer, "failure">>;

/** The agent loop of one turn: asks the model, runs the tools it calls, until it is done. */
export class TurnRun {
  readonly #deps: TurnDeps;
  readonly #input: TurnInput;
  readonly #scene: PromptScene;
  readonly #fitting: Fitting;
  readonly #spending: Spending;
  readonly #shown: string[] = [];
  readonly #results: CallResult[] = [];
  readonly #usage = { ...noUsage };
  #served: Served | undefined;

  constructor(deps: TurnDeps, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    this.#fitting = new Fitting(deps, input);
    this.#spending = new Spending(deps, input);
    const { message, view } = input;
    this.#scene = {
      ...factsOf(input),
      trust: message.trust,
      conversation: message.conversation.kind,
      workspace: input.context.workspace ?? deps.workspace,
      began: timesIn([...view.base, ...view.turns.flat()])[0] ?? Date.now(),
    };
  }

  /** The facts that whoever watches is told of it. */
  get facts(): TurnFacts {
    return factsOf(this.#input);
  }

  /** Never throws; what cannot be redacted is not answered. */
  async run(): Promise<Turn> {
    const { facts } = this;
    const began = performance.now();
    this.#deps.observers.tell("turnStarted", facts);
    const loop = (): Promise<Turn> => this.#loop();
    const turn = await runIn(this.#input.context.workspace, loop).catch((error: unknown) => {
      const { code = "INTERNAL", message } = asError(error) as Error & { code?: string };
      this.#deps.log.debug({ lane: facts.session, err: error }, `The turn failed: ${message}`);
      return failedTurn(this.#input, { code, message, retry: false });
    });
    const { stop_reason: stop, error } = turn.result;
    const ended = { ...facts, stop, ...(error && { code: error.code }), ms: performance.now() - began };
    this.#deps.observers.tell("turnEnded", ended);
    return turn;
  }

  /** Shortens what is kept of the session as a person asked; false if there was nothing to do. */
  async compact(): Promise<boolean> {
    const transcript = await this.#transcript();
    return this.#fitting.fit(transcript, await this.#overhead(transcript), "asked");
  }

  async #loop(): Promise<Turn> {
    const { signal } = this.#input.options;
    const transcript = await this.#transcript();
    if (!this.#continues()) transcript.add(this.#deps.redaction.kept(await this.#said()));
    for (let i = 0; i < this.#deps.maxIterations; i += 1) {
      const answer = await this.#ask(transcript);
      this.#count(answer);
      if (answer.text !== "" || answer.calls.length > 0) this.#add(transcript, asMessage(answer));
      if (answer.failure || answer.calls.length === 0) {
        this.#add(transcript, ...answer.calls.map(unanswered));
        return this.#finish(transcript, answer.text || this.#shown.join("\n\n"), answer);
      }
      const own = answer.calls.filter((call) => !this.#isClients(call));
      const results = await runCalls(this.#deps, this.#input, own);
      this.#results.push(...results);
      const told = results.map(({ message }) => message);
      if (own.length < answer.calls.length) return this.#handBack(transcript, answer, told);
      this.#add(transcript, ...told);
      if (signal.aborted) return this.#stop(transcript, errors.TURN_CANCELLED());
    }
    return this.#stop(transcript, errors.TURN_TOO_LONG(this.#deps.maxIterations));
  }

  /** A caller with a history of its own may only want the next answer. */
  #continues(): boolean {
    const { message, options } = this.#input;
    return options.history !== undefined && message.parts.length === 0;
  }

  #isClients(call: ToolUse): boolean {
    return this.#input.options.clientTools?.some(({ name }) => name === call.name) === true;
  }

  /** The caller's own tools are run by the caller, so the turn ends here. */
  async #handBack(
    transcript: Transcript,
    { text, calls }: Answer,
    told: readonly ChatMessage[],
  ): Promise<Turn> {
    const ran = [...told];
    const inOrder = calls.map((call) => (this.#isClients(call) ? unanswered(call) : ran.shift()));
    this.#add(transcript, ...inOrder.filter((message) => message !== undefined));
    const { result, messages } = await this.#finish(transcript, text, { stop: "ToolUse" });
    return { result: { ...result, client_calls: calls.filter((call) => this.#isClients(call)) }, messages };
  }

  async #transcript(): Promise<Transcript> {
    const { session, view } = this.#input;
    const boundary = await this.#deps.words.of(session, view.generation);
    const earlier = await this.#deps.media.readHistory([...view.base, ...view.turns.flat()]);
    return new Transcript(earlier, boundary);
  }

  /** Adds messages without this process's secrets, so that model and session have the same text. */
  #add(transcript: Transcript, ...messages: readonly ChatMessage[]): void {
    transcript.add(...this.#deps.redaction.kept(messages));
  }

  /** The person's message, with what is new and what it answers before it. */
  async #said(): Promise<ChatMessage> {
    const { message, user, view, options } = this.#input;
    const last = timesIn([...view.base, ...view.turns.flat()]).at(-1);
    const notes = [...(await notesOf(this.#deps.registry, this.#scene, last))];
    if (options.note !== undefined) notes.push({ type: "text", text: options.note });
    const { sender, trust, conversation, quoted = [] } = message;
    if (conversation.kind === "group") notes.push(speakerNote(sender.name ?? sender.id, trust));
    const words = await this.#deps.media.read(withoutSlash(message.parts), user);
    const parts = [...quoted.map(asQuoted), ...notes, ...words.map(asSaid)];
    return { role: "user", parts, at: Date.now() };
  }

  /** Gets an answer; shortens a conversation that is too long before, and if the model says so. */
  async #ask(transcript: Transcript): Promise<Answer> {
    const { want } = this.#input.context;
    let overhead = await this.#overhead(transcript);
    if (await this.#fitting.fit(transcript, overhead, "request")) overhead = await this.#overhead(transcript);
    const refusal = await this.#spending.refusal();
    if (refusal) return Answer.failed(want, refusal);
    let answer = await this.#complete(transcript, overhead);
    if (answer.failure?.code !== overflow) return answer;
    overhead = await this.#overhead(transcript);
    await this.#fitting.fit(transcript, overhead, "overflow", answer.failure);
    answer = await this.#complete(transcript, await this.#overhead(transcript));
    if (answer.failure?.code !== overflow) return answer;
    await this.#fitting.startOver(transcript);
    const { code, message } = errors.CONTEXT_FULL(answer.failure?.message.replace(/\.$/, ""));
    return Answer.failed(want, { code, message, retry: false });
  }

  async #complete(transcript: Transcript, { system, tools }: Overhead): Promise<Answer> {
    const messages = [system, ...transcript.marked()];
    const answer = await collectCompletion(this.#deps, this.#input, { messages, tools, purpose: "turn" });
    if (!answer.failure) transcript.accepted();
    return answer;
  }

  async #overhead({ boundary }: Transcript): Promise<Overhead> {
    const { system: added, tools, clientTools = [] } = this.#input.options;
    const { registry, sources } = this.#deps;
    // One object for both, by which a part knows that it is asked for the same request.
    const scene = { ...this.#scene };
    await sources.add(this.#input.session, await broughtByPrompt(registry, scene));
    const system = await systemPrompt(registry, scene, { boundary, added });
    const { message } = this.#input;
    const has = scopesOf(message);
    const own = await this.#deps.tools.offered({ only: tools, has, command: message.command });
    return { system, tools: [...own, ...clientTools] };
  }

  #count({ usage, served, text }: Answer): void {
    this.#usage.input_tokens += usage.inputTokens;
    this.#usage.output_tokens += usage.outputTokens;
    this.#usage.cached_tokens += usage.cachedTokens;
    this.#usage.reasoning_tokens += usage.reasoningTokens;
    this.#served = served;
    if (text !== "") this.#shown.push(text);
  }

  #stop(transcript: Transcript, error: GantryError): Promise<Turn> {
    this.#add(transcript, { role: "assistant", parts: textParts(`[${error.message}]`), toolCalls: [] });
    const { code, message } = error;
    const failure = { code, message, retry: false };
    return this.#finish(transcript, this.#shown.join("\n\n"), { stop: "Error", failure });
  }

  async #finish(transcript: Transcript, reply: string, { stop, failure }: Ending): Promise<Turn> {
    const { session, redaction } = this.#input;
    const { provider = "none", model } = this.#served ?? this.#input.context.want;
    const isRefused = refusals.includes(failure?.code ?? "");
    const messages = isRefused ? transcript.withoutUnaccepted() : transcript.current;
    const handed = this.#results.flatMap(({ message }) => message.parts);
    const files = await handedOver(handed, redaction);
    const result = {
      session_id: session,
      provider,
      model: model ?? null,
      usage: this.#usage,
      tool_calls: this.#results.map(({ report }) => report),
      ...(files.length > 0 && { files }),
      reply: await redaction.text(reply),
      stop_reason: failure ? "Error" : stop,
      ...(failure && { error: { ...failure, message: await redaction.text(failure.message) } }),
    } as const;
    // Nothing is kept of a message without an answer.
    const isAnswered = messages.length > (this.#continues() ? 0 : 1);
    return { result, messages: isAnswered ? messages : [] };
  }
}

/** When the person spoke, oldest first. */
function timesIn(messages: readonly ChatMessage[]): readonly number[] {
  return messages.flatMap((message) => (message.role === "user" ? (message.at ?? []) : []));
}
