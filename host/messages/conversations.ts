import { randomBytes } from "node:crypto";
import {
  errors,
  laneOf,
  Store,
  Tools,
  userOf,
  type InboundMessage,
  type Lanes,
  type PromptOptions,
  type TurnResult,
} from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Redaction } from "../record/redaction.ts";
import type { SessionSources } from "../tools/session-sources.ts";
import { TurnRun } from "../turn/turn-run.ts";
import type { Turn, TurnDeps } from "../turn/turn.ts";
import type { Clock } from "./clock.ts";
import { Queue } from "./queue.ts";
import { enterSession } from "./session-access.ts";
import type { Wakeup } from "./wakeup.ts";

const leaseMs = 60_000;
/** How long a caller waits for a conversation that another process holds. */
const patienceMs = 120_000;
const askAgainMs = 100;

export interface ConversationDeps {
  readonly registry: Registry;
  readonly hooks: HookTable;
  readonly sources: SessionSources;
  readonly turn: TurnDeps;
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  /** What is taken out of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
  /** This process, in leases. */
  readonly holder: string;
  readonly clock: Clock;
  readonly wakeup: Wakeup;
}

/** `isPrivate`: nobody but the owner sees the answer. */
interface TurnOptions extends PromptOptions {
  readonly isPrivate?: boolean;
}

/** Runs the turns of conversations, one at a time each. */
export class Conversations {
  readonly #deps: ConversationDeps;
  readonly #queue = new Queue();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
  }

  /** For a caller who waits for the answer: the turn is run once the conversation is free, and kept. */
  async prompt(message: InboundMessage, options: PromptOptions): Promise<TurnResult> {
    const refusal = await this.#deps.hooks.guard("onInboundMessage", message);
    if ("verdict" in refusal) throw errors.INBOUND_REFUSED(refusal.reason);
    const session = message.session ?? `${message.channel}-${randomBytes(6).toString("hex")}`;
    const sessions = this.#deps.registry.get(Store)?.sessions;
    if (sessions) await enterSession(sessions, session, laneOf(message));
    this.#refuseTaken(options);
    const isPrivate = message.trust === "owner";
    const traced = { trace: message.trace, conversation: shortHash(session) };
    if (options.keep === false) {
      const turn = await runTraced(traced, () => this.turn(message, session, { ...options, isPrivate }));
      return turn.result;
    }
    return this.#queue.run(session, options.signal, () =>
      runTraced(traced, () => this.#promptNow(message, session, options)),
    );
  }

  async #promptNow(message: InboundMessage, session: string, options: PromptOptions): Promise<TurnResult> {
    const release = await this.#hold(session, options.signal);
    try {
      const isPrivate = message.trust === "owner";
      const turn = await this.turn(message, session, { ...options, isPrivate });
      const { registry } = this.#deps;
      if (turn.messages.length > 0) await registry.get(Store)?.sessions.append(session, turn.messages);
      return turn.result;
    } finally {
      await release();
    }
  }

  /** A caller's tool must never be mistaken for one that is run here. */
  #refuseTaken({ clientTools = [] }: PromptOptions): void {
    const own = this.#deps.registry.get(Tools);
    const taken = clientTools.find(({ name }) => own?.has(name));
    if (taken) throw errors.TOOL_CLIENT_TAKEN(taken.name);
  }

  /** Runs the turn of one message with the history of its session; keeps nothing but a history made shorter. */
  async turn(message: InboundMessage, session: string, options: TurnOptions): Promise<Turn> {
    const { registry, want, turn, forOwner, sources } = this.#deps;
    await sources.addMessage(session, message);
    const view = options.history
      ? { generation: 0, base: options.history, turns: [] }
      : await registry.get(Store)?.sessions.view(session, turn.maxTurns);
    const { provider = want.provider, model = want.model, isPrivate, ...rest } = options;
    const run = new TurnRun(turn, {
      message,
      session,
      user: userOf(message),
      view: view ?? { generation: 0, base: [], turns: [] },
      want: { provider, model },
      redaction: isPrivate ? forOwner : turn.redaction,
      options: rest,
    });
    return run.run();
  }

  /** Keeps other processes out of the conversation while its turn runs; returns the function that lets them in again. */
  async #hold(session: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const { registry, holder, clock, wakeup } = this.#deps;
    const lanes = registry.get(Store)?.lanes;
    if (!lanes) return async () => {};
    await this.#take(lanes, session, signal);
    const again = (): void => void lanes.hold(session, holder, leaseMs, clock.now()).catch(() => {});
    const renewal = setInterval(again, leaseMs / 3);
    renewal.unref();
    return async () => {
      clearInterval(renewal);
      await lanes.release(session, holder);
      // The conversation may be a channel's, with messages that waited for this turn.
      wakeup.wake();
    };
  }

  async #take(lanes: Lanes, session: string, signal: AbortSignal): Promise<void> {
    const { holder, clock } = this.#deps;
    const begun = performance.now();
    while (!(await lanes.hold(session, holder, leaseMs, clock.now()))) {
      if (signal.aborted) throw errors.TURN_CANCELLED();
      if (performance.now() - begun > patienceMs) throw errors.SESSION_BUSY(session);
      await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    }
  }
}
