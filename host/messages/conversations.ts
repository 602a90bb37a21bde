import { randomBytes } from "node:crypto";
import { laneOf, userOf, type CallOptions, type Lease, type ToolCallOutcome } from "@gantry/sdk/fill";
import {
  ChatCommands,
  Store,
  type Agent,
  type Autonomy,
  type InboundMessage,
  type PromptOptions,
  type TurnResult,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { shortHash, whileHeld } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Redaction } from "../record/redaction.ts";
import type { CallRequest } from "../tools/call.ts";
import { callAround } from "../tools/call-around.ts";
import { TurnRun } from "../turn/turn-run.ts";
import { resultOf, stoppedTurn, type Turn, type TurnDeps, type TurnInput } from "../turn/turn.ts";
import { agentOf, asAgent, inFolder } from "./agents.ts";
import { callOutside, callWithin } from "./call-outside.ts";
import { contextOf, optionsWithin, saidWithin, sessionsAround, type InnerTurn } from "./inner-turn.ts";
import { withinLevel } from "./prompt-options.ts";
import { take } from "./lease.ts";
import { Queue } from "./queue.ts";
import { RunningTurns } from "./running-turns.ts";
import { enterSession, enterWithin } from "./session-access.ts";
import { ofAgent, type LeaveDeps } from "./session-agent.ts";

export interface ConversationDeps extends LeaveDeps {
  readonly hooks: HookTable;
  readonly turn: TurnDeps;
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  /** `agent.autonomy_level`. */
  readonly level: Autonomy;
  /** What is taken out of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
}

/** Where the store keeps the model that a person chose for a conversation. */
export const modelSpace = "session-model";

type Alone<T> = (lost?: AbortSignal, lease?: Lease) => Promise<T>;

interface TurnOptions extends PromptOptions {
  /** Nobody but the owner sees the answer. */
  readonly isPrivate?: boolean;
  /** By which the conversation is this process's. */
  readonly lease?: Lease | undefined;
  readonly inner?: InnerTurn;
  /** An earlier try of the same message may have left questions open. */
  readonly again?: boolean;
}

/** Runs the turns of conversations, one at a time each. */
export class Conversations {
  readonly #deps: ConversationDeps;
  readonly #queue = new Queue();
  readonly turns: RunningTurns;

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.turns = new RunningTurns(deps.registry);
  }

  /** Throws if this process takes no new work, unless it is part of a call that runs, or if a guard refuses the message. */
  async admit(message: InboundMessage, call?: CallRequest): Promise<void> {
    if (!call && this.#deps.registry.get(Store)?.lanes.isDrained?.()) throw errors.NODE_DRAINED();
    const refusal = await this.#deps.hooks.guard("onInboundMessage", message);
    if ("verdict" in refusal) throw errors.INBOUND_REFUSED(refusal.reason);
  }

  /** Lets a message of a caller who waits for the answer in; returns its session. Throws who may not. */
  async enter(
    message: InboundMessage,
    { keep }: Pick<PromptOptions, "keep">,
    call?: CallRequest,
  ): Promise<string> {
    await this.admit(message, call);
    const session = message.session ?? `${message.channel}-${randomBytes(6).toString("hex")}`;
    // Of what nobody can come back to nothing is opened.
    if (message.session === undefined && keep === false) return session;
    const sessions = this.#deps.registry.get(Store)?.sessions;
    if (!sessions || (call && (await enterWithin(sessions, session, call)))) return session;
    await enterSession(sessions, session, laneOf(message));
    return session;
  }

  /** For a caller who waits for the answer and was let in: the turn is run once the conversation is free, and kept. */
  async prompt(message: InboundMessage, session: string, given: TurnOptions): Promise<TurnResult> {
    const options = withinLevel(given, this.#deps.level, given.inner?.call.turn?.autonomy);
    const isPrivate = message.trust === "owner";
    const traced = { trace: message.trace, conversation: shortHash(session) };
    const turnOf = (signal: AbortSignal, lease?: Lease): Promise<Turn> =>
      runTraced(traced, () => this.turn(message, session, { ...options, signal, isPrivate, lease }));
    if (options.keep === false) {
      const { result } = await turnOf(options.signal);
      if (message.session === undefined) await this.#deps.sources.move(session);
      return result;
    }

    return this.alone(session, options.signal, async (lost = options.signal, lease) => {
      const turn = await turnOf(AbortSignal.any([options.signal, lost]), lease);
      const sessions = this.#deps.registry.get(Store)?.sessions;
      if (turn.messages.length > 0) await sessions?.append(session, turn.messages, lease);
      return turn.result;
    });
  }

  /** For a tool that asks for a turn while it runs. */
  async promptWithin(call: CallRequest, given: InboundMessage, options: PromptOptions): Promise<TurnResult> {
    const message = saidWithin(call, given);
    const around = sessionsAround(call, message.session);
    const session = await this.enter(message, options, call);
    return this.prompt(message, session, { ...optionsWithin(call, options), inner: { call, around } });
  }

  /** Runs one tool for a person, outside of turns; for a tool that asks for it while it runs, within its turn. */
  async call(message: InboundMessage, options: CallOptions): Promise<ToolCallOutcome> {
    const around = callAround();
    if (around) return callWithin(this.#deps, around, options);
    await this.admit(message);
    return callOutside(this.#deps, this.turns, message, options);
  }

  /** Does something with a conversation while nobody else does; `lost` is aborted once another process has taken it over. */
  alone<T>(session: string, signal: AbortSignal, work: Alone<T>): Promise<T> {
    return this.#queue.run(session, signal, async () => {
      const lanes = this.#deps.registry.get(Store)?.lanes;
      if (!lanes) return work();
      const lease = await take(lanes, session, signal);
      // The conversation may be a channel's, whose messages go on once it is released.
      return whileHeld(lanes, lease, (lost) => work(lost, lease));
    });
  }

  /** Returns who answers a message in a session; undefined for the assistant without an agent. */
  agent(message: InboundMessage, session: string, { agent, inner }: Partial<TurnOptions>) {
    return agentOf(this.#deps.registry, message, session, agent, inner);
  }

  /** Runs the turn of one message with the history of its session; keeps nothing but a history made shorter. */
  async turn(message: InboundMessage, session: string, given: TurnOptions): Promise<Turn> {
    const { sources } = this.#deps;
    const agent = await this.agent(message, session, given);
    const options = await ofAgent(this.#deps, message, session, given, agent);
    const outer = options.inner?.call.session;
    if (outer !== undefined) await sources.add(session, await sources.of(outer));
    if (options.history) await sources.addHistory(session, options.history, outer !== undefined);
    await sources.addMessage(session, message);
    try {
      return await this.turns.run(
        session,
        async (stop, is) => {
          const command = this.#deps.registry.get(ChatCommands)?.get(message.command ?? "");
          const { parts: prompt, trust } = message;
          const begun = { user: userOf(message), trust, session, prompt };
          const begins = () => command?.begins?.(begun);
          const isOn = command?.begins && (await inFolder(this.#deps, message, session, options, begins));
          if (isOn === false)
            return { result: { ...resultOf(session, "Stopped."), stopped: true }, messages: [] };
          const signal = AbortSignal.any([options.signal, stop]);
          const run = await this.run(message, session, { ...options, signal }, agent);
          is(run.facts);
          const traceparent = run.facts.trace as string;
          const traced = { trace: message.trace, conversation: shortHash(session), traceparent };
          const turn = await runTraced(traced, () => run.run());
          // A turn that failed may be tried again.
          const isOver = !options.signal.aborted && turn.result.error === undefined;
          if (options.again && isOver) await this.#withdraw(session);
          return stop.aborted && !options.signal.aborted ? stoppedTurn(turn, stop.reason) : turn;
        },
        ({ result: { stop_reason: stop, error } }) => ({ stop, ...(error && { code: error.code }) }),
      );
    } finally {
      // What a turn within another has taken in comes back with its answer.
      if (outer !== undefined) await sources.add(outer, await sources.of(session));
    }
  }

  /** Never throws: a question that stays open expires. */
  async #withdraw(session: string): Promise<void> {
    await this.#deps.turn.approvals.withdraw(session).catch(() => {});
  }

  /** A turn of this session that could be run now, by an agent if one answers. */
  async run(
    message: InboundMessage,
    session: string,
    given: TurnOptions,
    agent: Agent | undefined,
  ): Promise<TurnRun> {
    const { registry, turn } = this.#deps;
    const chosen = await registry.get(Store)?.values.get<string>(modelSpace, session);
    const asked = chosen === undefined ? given : { model: chosen, ...given };
    const options = await asAgent(this.#deps, agent, asked, given.inner?.call.turn);
    return new TurnRun(turn, await this.#input(message, session, options));
  }

  async #input(message: InboundMessage, session: string, options: TurnOptions): Promise<TurnInput> {
    const { registry, want, turn, forOwner } = this.#deps;
    const store = registry.get(Store);
    const view = options.history
      ? { generation: 0, base: options.history, turns: [] }
      : await store?.sessions.view(session, turn.maxTurns);
    const { isPrivate, inner, again: _, ...rest } = options;
    const added = [options.system, message.system].filter((text) => text !== undefined && text !== "");
    const system = added.length > 0 && { system: added.join("\n\n") };
    const redaction = isPrivate ? forOwner : turn.redaction;
    return {
      message,
      session,
      user: userOf(message),
      view: view ?? { generation: 0, base: [], turns: [] },
      context: contextOf(message, options, want, inner, redaction),
      redaction,
      options: this.turns.told(session, { ...rest, ...system }),
    };
  }
}
