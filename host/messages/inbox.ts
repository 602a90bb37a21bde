import { randomBytes } from "node:crypto";
import {
  errors,
  laneOf,
  userOf,
  Store,
  Tools,
  type PromptOptions,
  type Inbox as InboxSlot,
  type InboundMessage,
  type Logger,
  type Receipt,
  type TurnResult,
} from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Audit } from "../record/audit.ts";
import { decideInChannel } from "./approvals-in-channels.ts";
import type { SessionSources } from "../tools/session-sources.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import { Queue } from "./queue.ts";
import type { Registry } from "../plugins/registry.ts";
import { enterSession } from "./session-access.ts";
import type { Redaction } from "../record/redaction.ts";
import { TurnRun } from "../turn/turn-run.ts";
import type { Turn, TurnDeps } from "../turn/turn.ts";

/** Beyond this many waiting messages the platforms are asked to come again later. */
const maxWaiting = 10_000;
const recountMs = 200;
const leaseMs = 60_000;
/** How long a caller waits for a conversation that another process holds. */
const patienceMs = 120_000;

export interface InboxDeps {
  readonly registry: Registry;
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly approvals: Approvals;
  readonly sources: SessionSources;
  readonly log: Logger;
  readonly turn: TurnDeps;
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  /** What is taken out of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
  /** This process, in leases. */
  readonly holder: string;
}

/** `isPrivate`: nobody but the owner sees the answer. */
interface TurnOptions extends PromptOptions {
  readonly isPrivate?: boolean;
}

/** The one way a message comes in: guards, then on disk or into a turn, one at a time per conversation. */
export class Inbox implements InboxSlot {
  readonly #deps: InboxDeps;
  readonly #queue = new Queue();
  #wake: () => void = () => {};
  readonly #backlog = { count: 0, counted: 0 };

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** Called whenever something new is on disk. */
  onAccepted(wake: () => void): void {
    this.#wake = wake;
  }

  async receive(messages: readonly InboundMessage[]): Promise<readonly Receipt[]> {
    const receipts: Receipt[] = messages.map(() => "accepted");
    const store = this.#store();
    if (await this.#isFull(store, messages.length)) return messages.map(() => "full");
    const fresh: { message: InboundMessage; at: number }[] = [];
    for (const [at, message] of messages.entries()) {
      if (!(await this.#allowed(message))) receipts[at] = "refused";
      else if (decideInChannel(this.#deps, message)) receipts[at] = "accepted";
      else fresh.push({ message, at });
    }
    const added = await store.lanes.accept(fresh.map(({ message }) => message));
    fresh.forEach(({ at }, i) => {
      if (!added[i]) receipts[at] = "duplicate";
    });
    this.#backlog.count += added.length;
    if (added.includes(true)) this.#wake();
    return receipts;
  }

  /** Counted now and then, with what came since; nobody is sent away on an old count. */
  async #isFull(store: Store, more: number): Promise<boolean> {
    const guess = this.#backlog.count + more > maxWaiting;
    if (guess || Date.now() - this.#backlog.counted > recountMs) {
      this.#backlog.counted = Date.now();
      this.#backlog.count = (await store.lanes.stats()).waiting;
    }
    return this.#backlog.count + more > maxWaiting;
  }

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

  /** A sender who is not allowed: one log line, one audit record, no reply. */
  async #allowed(message: InboundMessage): Promise<boolean> {
    const verdict = await this.#deps.hooks.guard("onInboundMessage", message);
    if (!("verdict" in verdict)) return true;
    const user = userOf(message);
    this.#deps.log.warn({ user, code: verdict.code }, `A message was ignored: ${verdict.reason}`);
    const event = {
      event_type: "inbound_ignored",
      tool: "",
      args: { message_id: message.id },
      result: `ignored: ${verdict.code}`,
    } as const;
    await this.#deps.audit
      .record({ ...event, user, session_id: laneOf(message) })
      .catch((error: Error) => this.#deps.log.error({ code: "AUDIT_FAILED" }, error.message));
    return false;
  }

  /** Keeps other processes out of the conversation while its turn runs; gives the function that lets them in again. */
  async #hold(session: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const lanes = this.#deps.registry.get(Store)?.lanes;
    if (!lanes) return async () => {};
    const { holder } = this.#deps;
    const until = Date.now() + patienceMs;
    while (!(await lanes.hold(session, holder, leaseMs, Date.now()))) {
      if (signal.aborted) throw errors.TURN_CANCELLED();
      if (Date.now() > until) throw errors.SESSION_BUSY(session);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const renewal = setInterval(
      () => void lanes.hold(session, holder, leaseMs, Date.now()).catch(() => {}),
      leaseMs / 3,
    );
    renewal.unref();
    return async () => {
      clearInterval(renewal);
      await lanes.release(session, holder);
      // The conversation may be a channel's, with messages that waited for this turn.
      this.#wake();
    };
  }

  #store(): Store {
    const store = this.#deps.registry.get(Store);
    if (!store) throw errors.SLOT_EMPTY("host", Store.id, ": list a store, see `gantry plugins list`");
    return store;
  }
}
