import { laneOf, Store } from "@gantry/sdk";
import type { Claim, Logger, Retry, Sent, TurnResult } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Telling } from "../record/observers.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Admission } from "./admission.ts";
import { ageMs, begin } from "./claim-times.ts";
import type { Conversations } from "./conversations.ts";
import type { Delivery } from "./delivery.ts";
import { kindOf } from "./failure-kind.ts";
import { budget, model, type Outages } from "./outages.ts";
import type { Outbox } from "./outbox.ts";
import type { Outcomes } from "./outcomes.ts";
import { giveUp, putAside } from "./put-aside.ts";
import { sentences } from "./sentences.ts";
import { ShownTurn } from "./shown-turn.ts";
import { endedOver, mostEnds } from "./suspects.ts";
import { tellWaiting } from "./tell-waiting.ts";
import { notedReply } from "../turn/stop-note.ts";

/** A message that fails for the service's own reasons is tried so often, in about ten seconds. */
const fewFailures = 4;
/** One that fails while the model or the platform serves others. */
const manyFailures = 16;
/** What is tried again by itself is tried within the last of these, so that nobody waits long once it would work. */
const backoffMs = [500, 2_000, 8_000, 20_000];

type Wait = Omit<Retry, "afterMs" | "waitsFor">;

interface Told {
  readonly ms?: number;
  readonly text?: string;
}

export interface AttemptDeps {
  readonly store: Store;
  readonly conversations: Conversations;
  readonly admission: Admission;
  readonly approvals: Approvals;
  readonly outages: Outages;
  readonly outcomes: Outcomes;
  readonly outbox: Outbox;
  readonly delivery: Delivery;
  readonly observers: Telling;
  readonly log: Logger;
  /** Milliseconds that a message is kept for which could not be answered or sent. */
  readonly keepMs: number;
  /** Milliseconds after which a turn shows what it does; 0: never. */
  readonly progressMs: number;
}

/**
 * One attempt at a message that was claimed: its turn is run, the answer recorded, then sent. What cannot be done now is
 * done later; what ends without an answer is put aside, and its sender is told.
 */
export class Attempts {
  readonly #deps: AttemptDeps;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  /** Never throws. `holds` is asked before anything is sent: false once the message is somebody else's. */
  async work(claim: Claim, signal: AbortSignal, holds: () => Promise<boolean>): Promise<void> {
    this.#tell(claim, "begun");
    begin(claim);
    try {
      if (claim.begun > mostEnds) return await this.#giveUp(claim, endedOver);
      const reply = claim.reply ?? (await this.#answer(claim, signal));
      if (reply !== undefined && (await holds())) await this.#send(claim, reply, signal);
    } catch (error) {
      // If the service stops meanwhile, the lease ends with it and the message is taken up at the next start.
      await this.#broke(claim, asError(error)).catch(() => {});
    } finally {
      await this.#deps.outages.leave(claim).catch(() => {});
    }
  }

  /** Runs the turn and records its answer before anything is sent; undefined if there is nothing to send now. */
  async #answer(claim: Claim, signal: AbortSignal): Promise<string | undefined> {
    const { store, outages, admission, outcomes } = this.#deps;
    if (!outages.mayTry(model, claim)) return this.#waitFor(model, claim, { reason: `the ${model} is away` });
    if (claim.triedMsAgo === undefined) {
      const afterMs = await admission.pausedFor(store, claim.message);
      if (afterMs !== undefined)
        return this.#retry(claim, { afterMs, reason: "its sender writes faster than allowed" });
    }

    const { result, messages } = await this.#turn(claim, signal);
    if (signal.aborted) return this.#retry(claim, { afterMs: 0, reason: "the service stopped" });
    const { error, tool_calls } = result;
    // What tools did is not done again, so this turn's end is the message's.
    if (error && tool_calls.length === 0) return this.#failed(claim, error);

    if (!error) await outages.worked(model);
    const text = error ? sentences.broke(claim.message, result.reply, error.message) : notedReply(result);
    const lane = laneOf(claim.message);
    await outcomes.record(() => store.lanes.answer(claim, text, lane, messages));
    this.#tell(claim, "answered");
    return text;
  }

  async #turn(claim: Claim, signal: AbortSignal): ReturnType<Conversations["turn"]> {
    const shown = new ShownTurn(this.#deps, claim.message, signal);
    try {
      return await this.#deps.conversations.turn(claim.message, laneOf(claim.message), {
        signal,
        approvals: claim.message.trust === "owner" ? "ask" : "none",
        onEvent: (event) => shown.tell(event),
      });
    } finally {
      await shown.end();
    }
  }

  /** The turn ended without an answer. */
  async #failed(claim: Claim, error: NonNullable<TurnResult["error"]>): Promise<undefined> {
    const { outages, log } = this.#deps;
    if (error.code === "STORE_FAILED") return this.#storeFailed(claim, new Error(error.message));
    const kind = kindOf(error);
    if (kind === "request") await outages.worked(model);
    if (kind === "request" || kind === "refused") return this.#giveUp(claim, error.message);
    if (kind === "later") {
      const afterMs = error.retryAfterMs ?? 0;
      const text = sentences.later(claim.message, Date.now() + afterMs, error.message);
      return this.#waitFor(budget, claim, { reason: error.message, tried: true }, { text, ms: afterMs });
    }
    if (kind === "own" || kind === "passing")
      log.warn(
        { lane: laneOf(claim.message), attempt: claim.deliveryCount },
        `A message could not be answered yet: ${error.message}`,
      );
    if (kind === "own") return this.#tryLater(claim, error.message, fewFailures);

    const counts = outages.workedSince(model, claim);
    if (counts && claim.failures + 1 >= manyFailures) return this.#giveUp(claim, error.message);
    if (kind === "passing") return this.#tryLater(claim, error.message, counts ? manyFailures : Infinity);

    outages.failed(model, claim, error.message, error.retryAfterMs);
    const told = kind === "account" && { text: sentences.waits(claim.message, error.message) };
    return this.#waitFor(model, claim, { reason: error.message, tried: true, counts }, { ...told });
  }

  async #send(claim: Claim, reply: string, signal: AbortSignal): Promise<void> {
    const { store, outages, outcomes, delivery, log } = this.#deps;
    const platform = `channel:${claim.message.channel}`;
    if (!outages.mayTry(platform, claim))
      return this.#waitFor(platform, claim, { reason: "the platform takes nothing now" });

    const sent: Sent = await delivery.reply(claim, reply, signal);
    const isKept = sent.status === "retry" && sent.scope === "channel";
    if (!isKept && sent.status !== "retry") await outages.worked(platform);
    if (sent.status === "sent") {
      await outcomes.record(() => store.lanes.ack(claim));
      return this.#tell(claim, "sent");
    }
    if (isKept) {
      outages.failed(platform, claim, sent.reason, sent.afterMs);
      return this.#waitFor(platform, claim, { reason: sent.reason, tried: true });
    }

    const level = sent.status === "refused" ? "error" : "warn";
    const lane = laneOf(claim.message);
    log[level]({ lane, status: sent.status }, `A reply was not sent: ${sent.reason}`);
    if (sent.status === "refused") {
      await putAside(this.#deps, claim, sent.reason);
      return this.#tell(claim, "aside");
    }
    const counts = sent.afterMs === undefined && outages.workedSince(platform, claim);
    return this.#tryLater(claim, sent.reason, counts ? manyFailures : Infinity, sent.afterMs);
  }

  /** Something of the service's own failed. */
  async #broke(claim: Claim, error: Error & { readonly code?: unknown }): Promise<void> {
    if (error.code === "STORE_FAILED") return this.#storeFailed(claim, error);
    const lane = laneOf(claim.message);
    // Whoever has the lane now answers the message.
    if (error.code === "LEASE_LOST") return this.#deps.log.warn({ lane }, error.message);
    this.#deps.log.error({ lane, err: error }, `A message could not be answered: ${error.message}`);
    await this.#tryLater(claim, error.message, fewFailures);
  }

  /** A store that fails is no fault of the message's. */
  #storeFailed(claim: Claim, error: Error): Promise<undefined> {
    this.#deps.outcomes.failed(error);
    return this.#tryLater(claim, error.message, Infinity);
  }

  /** Tries again after a while, longer each time; what failed too often, or is too old, ends. */
  async #tryLater(claim: Claim, reason: string, most: number, afterMs: number = 0): Promise<undefined> {
    const counts = Number.isFinite(most);
    if (counts && claim.failures + 1 >= most) return this.#giveUp(claim, reason);

    const step = backoffMs[Math.min(claim.deliveryCount, backoffMs.length) - 1] as number;
    const wait = Math.max(afterMs, step * (0.75 + Math.random() / 2));
    const left = this.#keptForMs(claim);
    if (left <= 0) return this.#expired(claim, reason);
    return this.#retry(claim, { afterMs: Math.min(wait, left), reason, tried: true, counts });
  }

  /** Keeps the message until what it waits for is back, which comes by itself after `ms` or has to be found out; `text` says so. */
  async #waitFor(what: string, claim: Claim, retry: Wait, { ms, text }: Told = {}): Promise<undefined> {
    const { outages } = this.#deps;
    // Nobody here looks any more: whoever serves next tries it, perhaps by another configuration.
    if (outages.isOver) return this.#retry(claim, { ...retry, afterMs: 0 });
    const left = this.#keptForMs(claim);
    if (left <= 0) return this.#expired(claim, retry.reason);
    if (text !== undefined) await tellWaiting(this.#deps, claim.message, text);
    await this.#retry(claim, { ...retry, afterMs: Math.min(ms ?? left, left), waitsFor: what });
    if (ms === undefined) await outages.settle(what);
  }

  async #retry(claim: Claim, retry: Retry): Promise<undefined> {
    await this.#deps.outcomes.record(() => this.#deps.store.lanes.retry(claim, retry));
    this.#tell(claim, "waits");
  }

  #keptForMs(claim: Claim): number {
    return this.#deps.keepMs - ageMs(claim);
  }

  #expired(claim: Claim, reason: string): Promise<undefined> {
    return this.#giveUp(
      claim,
      `it was kept for ${this.#deps.keepMs / 3_600_000} hours, and still: ${reason}`,
    );
  }

  async #giveUp(claim: Claim, reason: string): Promise<undefined> {
    await giveUp(this.#deps, claim, reason);
    this.#tell(claim, "aside");
  }

  #tell({ message }: Claim, state: "begun" | "answered" | "sent" | "waits" | "aside"): void {
    this.#deps.observers.tell("laneMoved", { lane: laneOf(message), state });
  }
}
