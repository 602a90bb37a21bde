import {
  errors,
  textParts,
  type Awaitable,
  type ChatMessage,
  type InboundMessage,
  type MediaRef,
  type Sent,
  type Store,
} from "@gantry/sdk";
import {
  laneOf,
  type Claim,
  type ClaimBounds,
  type ClaimedMessages as ClaimedMessagesSlot,
  type ClaimedTurn,
  type ClaimedTurnOptions,
  type LaneState,
  type Lanes,
  type Notice,
} from "@gantry/sdk/fill";
import { deepFreeze, laneMove, notedReply, runForCaller, shortHash } from "@gantry/sdk/node";
import { runOutside, runTraced } from "../plugins/attribution.ts";
import type { Telling } from "../record/observers.ts";
import type { Redaction } from "../record/redaction.ts";
import { answeredLater } from "../tools/asked-question.ts";
import type { ChatWords } from "./chat-words.ts";
import type { Admission } from "./admission.ts";
import type { Conversations } from "./conversations.ts";
import type { Delivery } from "./delivery.ts";
import type { Outbox } from "./outbox.ts";
import type { SenderCheck } from "./sender-check.ts";
import { sentences } from "./sentences.ts";
import { ShownTurn, whomToAsk, type ShownTurnDeps } from "./shown-turn.ts";

/** The store counts a message's age by another clock. */
const slackMs = 100;

export interface ClaimedMessagesDeps extends ShownTurnDeps {
  readonly conversations: Conversations;
  readonly admission: Admission;
  readonly senders: SenderCheck;
  readonly delivery: Delivery;
  readonly outbox: Outbox;
  readonly words: ChatWords;
  readonly observers: Telling;
  readonly redaction: Redaction;
}

interface Answer {
  readonly text: string;
  readonly files: readonly MediaRef[];
  readonly turn: readonly ChatMessage[];
}

/** A message that was claimed here. */
interface Claimed {
  /** By `performance.now()`. */
  readonly at: number;
  answer?: Answer;
  /** The answer once it is recorded. */
  kept?: Answer;
}

/** The one way from a claimed message to its turn and to its sender, whoever works on it. */
export class ClaimedMessages implements ClaimedMessagesSlot {
  readonly lanes: Lanes;
  readonly #deps: ClaimedMessagesDeps;
  readonly #store: Store;
  readonly #claims = new WeakMap<Claim, Claimed>();
  /** By `performance.now()`: another configuration may have let in what came earlier. */
  readonly #since = performance.now();

  constructor(deps: ClaimedMessagesDeps, store: Store) {
    this.#deps = deps;
    this.#store = store;
    this.lanes = store.lanes;
  }

  async claim(max: number, leaseMs: number, bounds?: ClaimBounds): Promise<readonly Claim[]> {
    const claims = await this.lanes.claim(max, leaseMs, bounds);
    for (const claim of claims) this.#claims.set(deepFreeze(claim), { at: performance.now() });
    return claims;
  }

  /** Whoever woke the worker lends its work nothing: it is done for the message's own caller. */
  traced<T>({ message }: Claim, work: () => Promise<T>): Promise<T> {
    const trace = { trace: message.trace, conversation: shortHash(laneOf(message)) };
    return runOutside(() => runForCaller(message.caller, () => runTraced(trace, work)));
  }

  async turn(claim: Claim, options: ClaimedTurnOptions): Promise<ClaimedTurn> {
    const claimed = this.#claimed(claim);
    return this.traced(claim, async () => {
      const { message } = claim;
      const reason = await this.#refusal(claim, claimed);
      if (reason !== undefined) return { status: "refused", reason };
      if (claim.triedMsAgo === undefined) {
        const afterMs = await this.#deps.admission.pausedFor(this.#store, message);
        if (afterMs !== undefined) return { status: "paused", afterMs };
      }
      const { result, messages } = await this.#run(claim, options);
      const { error, tool_calls, reply, files = [] } = result;
      // What tools did is not done again, so this turn's end is the message's.
      if (error && tool_calls.length === 0) return { status: "failed", error };
      const said = error ? sentences.broke(message, reply, error.message) : notedReply(result);
      const { words, redaction } = this.#deps;
      const told = [message.told ?? "", await words.goOn(message, result)];
      const [first, last] = await Promise.all(told.map(async (one) => one && redaction.text(one)));
      const text = [first, said, last].filter(Boolean).join("\n\n");
      claimed.answer = { text, files, turn: messages };
      return { status: "answered", isWhole: !error };
    });
  }

  async keep(claim: Claim): Promise<void> {
    const claimed = this.#claimed(claim);
    const { answer } = claimed;
    if (!answer) throw errors.LEASE_LOST(claim.lane);
    const { text, files, turn } = answer;
    await this.lanes.answer(claim, text, laneOf(claim.message), turn, files);
    claimed.kept = answer;
    this.moved(claim, "answered");
  }

  async send(claim: Claim, signal: AbortSignal): Promise<Sent> {
    const { text = claim.reply, files = claim.files ?? [] } = this.#claimed(claim).kept ?? {};
    if (text === undefined) throw errors.LEASE_LOST(claim.lane);
    return this.#deps.delivery.reply(claim, { text, files }, signal);
  }

  async show(claim: Claim, text: string, shown: string | undefined, signal: AbortSignal): Promise<Sent> {
    this.#claimed(claim);
    const { delivery, redaction } = this.#deps;
    const { message } = claim;
    if (!delivery.canEdit(message)) return { status: "refused", reason: "the channel edits nothing" };
    const clean = await redaction.text(text);
    if (shown !== undefined) return delivery.edit(message, shown, textParts(clean), signal);
    return delivery.say(message, textParts(clean), `${message.channel}:${message.id}:progress`, signal);
  }

  notice(message: InboundMessage, about: string, text: string): Awaitable<Notice> {
    return this.#deps.outbox.notice(message, about, text);
  }

  moved({ message }: Claim, state: LaneState): void {
    this.#deps.observers.tell("laneMoved", laneMove(message, state));
  }

  #claimed(claim: Claim): Claimed {
    const claimed = this.#claims.get(claim);
    if (!claimed) throw errors.LEASE_LOST(claim.lane);
    return claimed;
  }

  /** Returns why the sender is not let in any more; only another configuration changes that. */
  async #refusal({ message, ageMs }: Claim, { at }: Claimed): Promise<string | undefined> {
    const acceptedAt = at - ageMs;
    if (acceptedAt > this.#since + slackMs) return undefined;
    return this.#deps.senders.refusal({ ...message, again: true });
  }

  async #run(
    claim: Claim,
    { signal: given, onEvent }: ClaimedTurnOptions,
  ): ReturnType<Conversations["turn"]> {
    const { message, deliveryCount } = claim;
    const later = new AbortController();
    // What the worker aborts begins again, and its open questions wait for that.
    const putOff = (): void => later.abort(answeredLater);
    given.addEventListener("abort", putOff);
    if (given.aborted) putOff();
    const { signal } = later;
    const asked = await whomToAsk(this.#deps.registry, message);
    const shown = new ShownTurn(this.#deps, message, asked ?? message, signal);
    try {
      return await this.#deps.conversations.turn(message, laneOf(message), {
        signal,
        lease: claim,
        approvals: asked ? "ask" : "none",
        again: deliveryCount > 1,
        onEvent: (event) => {
          onEvent?.(event);
          shown.tell(event);
        },
      });
    } finally {
      given.removeEventListener("abort", putOff);
      shown.end();
    }
  }
}
