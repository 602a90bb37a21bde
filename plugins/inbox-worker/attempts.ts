import { laneOf, type Claim, type ClaimedTurn } from "@gantry/sdk/fill";
import type { Audit, ProviderFailure, Sent, TurnEvent } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Try } from "../shared/circuit.ts";
import { noteOf } from "./begun-again.ts";
import { kindOf } from "./failure-kind.ts";
import { budget, model } from "./outages.ts";
import { Progress } from "./progress.ts";
import { PutOff, type PutOffDeps } from "./put-off.ts";
import { endedOver, mostEnds } from "./suspects.ts";
import { told } from "./told.ts";

/** A message that fails for the service's own reasons is tried so often, in about ten seconds. */
const fewFailures = 4;
/** One that fails while the model or the platform serves others. */
const manyFailures = 16;

export interface AttemptDeps extends PutOffDeps {
  readonly audit: Audit;
  /** Milliseconds after which a turn shows what it does; 0: never. */
  readonly progressMs: number;
}

/** The hold on a message while it is worked on. */
export interface Work {
  readonly signal: AbortSignal;
  /** Asked before anything is sent: false once another has the message. */
  holds(): Promise<boolean>;
  /** Called with what the turn does. */
  onEvent(event: TurnEvent): void;
}

/**
 * One attempt at a message that was claimed: its turn is run, the answer recorded, then sent. A
 * failure that may pass is tried again later. A message that ends without an answer is
 * dead-lettered, and its sender is told.
 */
export class Attempts {
  readonly #deps: AttemptDeps;
  readonly #putOff: PutOff;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
    this.#putOff = new PutOff(deps);
  }

  /** Never throws. */
  async work(claim: Claim, work: Work): Promise<void> {
    const { signal, holds } = work;
    this.#deps.messages.moved(claim, "begun");
    try {
      if (claim.begun > mostEnds) return await this.#putOff.giveUp(claim, endedOver);
      const isAnswered = claim.reply !== undefined || (await this.#answer(claim, work));
      if (isAnswered && (await holds())) await this.#send(claim, signal);
    } catch (error) {
      // If the service stops meanwhile, the lease ends too, and the next start takes the message.
      await this.#broke(claim, asError(error)).catch(() => {});
    }
  }

  /** Uses what may be away; the message waits for it if it is. */
  async #try<T>(
    what: string,
    claim: Claim,
    reason: string,
    use: (attempt: Try) => Promise<T>,
  ): Promise<T | undefined> {
    const { outages } = this.#deps;
    const attempt = outages.begin(what);
    if (!attempt) return this.#putOff.waitFor(what, claim, { reason });
    try {
      return await use(attempt);
    } finally {
      await outages.leave(what, attempt).catch(() => {});
    }
  }

  /** Runs the turn and records its answer; true if there is something to send. */
  #answer(claim: Claim, work: Work): Promise<true | undefined> {
    return this.#try(model, claim, `the ${model} is away`, async (attempt) => {
      const { messages, outages, outcomes } = this.#deps;
      const turn = await this.#turn(claim, work);
      if (work.signal.aborted)
        return this.#putOff.retry(claim, { afterMs: 0, reason: "the service stopped" });
      if (turn.status !== "answered") return this.#unanswered(claim, attempt, turn);
      if (turn.isWhole) await outages.worked(model);
      await outcomes.record(() => messages.keep(claim));
      return true;
    });
  }

  async #turn(claim: Claim, work: Work): Promise<ClaimedTurn> {
    const { signal } = work;
    const { audit, messages, outages, progressMs } = this.#deps;
    const progress = new Progress(messages, claim, signal, progressMs);
    const onEvent = (event: TurnEvent): void => {
      // A whole answer of the model, long before the turn ends.
      if (event.type === "tool_call") void outages.worked(model).catch(() => {});
      progress.tell(event);
      work.onEvent(event);
    };
    try {
      return await messages.turn(claim, { signal, note: await noteOf(claim, audit), onEvent });
    } finally {
      await progress.end();
    }
  }

  async #unanswered(
    claim: Claim,
    attempt: Try,
    turn: Exclude<ClaimedTurn, { readonly status: "answered" }>,
  ): Promise<undefined> {
    if (turn.status === "failed") return this.#failed(claim, attempt, turn.error);
    // Its sender is not told.
    if (turn.status === "refused") return this.#putOff.aside(claim, turn.reason);
    const reason = "its sender writes faster than allowed";
    return this.#putOff.retry(claim, { afterMs: turn.afterMs, reason, yields: true });
  }

  /** The turn ended without an answer. */
  async #failed(claim: Claim, attempt: Try, error: ProviderFailure): Promise<undefined> {
    const { outages, log } = this.#deps;
    const { message: reason, retryAfterMs } = error;
    if (error.code === "STORE_FAILED") return this.#putOff.storeFailed(claim, new Error(reason));
    const kind = kindOf(error);
    if (kind === "request") await outages.worked(model);
    if (kind === "request" || kind === "refused") return this.#putOff.giveUp(claim, reason);
    if (kind === "later") {
      const ms = retryAfterMs ?? 0;
      const text = told.later(claim.message, Date.now() + ms, reason);
      outages.usedUp(reason, ms);
      return this.#putOff.waitFor(budget, claim, { reason, tried: true, yields: true }, { text, ms });
    }
    if (kind === "own" || kind === "passing")
      log.warn(
        { lane: laneOf(claim.message), attempt: claim.deliveryCount },
        `A message could not be answered yet: ${reason}`,
      );
    if (kind === "own") return this.#putOff.again(claim, reason, fewFailures);

    const counts = outages.workedSince(model, claim);
    if (counts && claim.failures + 1 >= manyFailures) return this.#putOff.giveUp(claim, reason);
    const failure = { askedMs: retryAfterMs, isSure: kind !== "passing" };
    if (!outages.failed(model, attempt, reason, failure))
      return this.#putOff.again(claim, reason, counts ? manyFailures : Infinity);

    const text = kind === "account" && { text: told.waits(claim.message, reason) };
    return this.#putOff.waitFor(model, claim, { reason, tried: true, counts }, { ...text });
  }

  async #send(claim: Claim, signal: AbortSignal): Promise<void> {
    const platform = `channel:${claim.message.channel}`;
    await this.#try(platform, claim, "the platform takes nothing now", async (attempt) => {
      const sent = await this.#deps.messages.send(claim, signal);
      await this.#sent(claim, sent, platform, attempt);
    });
  }

  /** Notes what came of sending the reply. */
  async #sent(claim: Claim, sent: Sent, platform: string, attempt: Try): Promise<void> {
    const { messages, outages, outcomes, log } = this.#deps;
    if (sent.status === "sent") {
      // Before anything else: the process after this one sends again what is not noted here.
      await outcomes.record(() => messages.lanes.ack(claim));
      messages.moved(claim, "sent");
      return outages.worked(platform);
    }
    const { reason } = sent;
    const detail = { lane: laneOf(claim.message), status: sent.status };
    if (sent.status === "refused") {
      log.error(detail, `A reply was not sent: ${reason}`);
      await outages.worked(platform);
      return this.#putOff.aside(claim, reason);
    }
    const { scope, afterMs } = sent;
    const isSure = scope === "channel";
    const isFailure = isSure || afterMs === undefined;
    if (isFailure && outages.failed(platform, attempt, reason, { askedMs: afterMs, isSure }))
      return this.#putOff.waitFor(platform, claim, { reason, tried: true });

    log.warn(detail, `A reply was not sent: ${reason}`);
    const counts = afterMs === undefined && outages.workedSince(platform, claim);
    return this.#putOff.again(claim, reason, counts ? manyFailures : Infinity, afterMs);
  }

  /** Something of the service's own failed. */
  async #broke(claim: Claim, error: Error & { readonly code?: unknown }): Promise<void> {
    if (error.code === "STORE_FAILED") return this.#putOff.storeFailed(claim, error);
    const lane = laneOf(claim.message);
    // Whoever has the lane now answers the message.
    if (error.code === "LEASE_LOST") return this.#deps.log.warn({ lane }, error.message);
    this.#deps.log.error({ lane, err: error }, `A message could not be answered: ${error.message}`);
    await this.#putOff.again(claim, error.message, fewFailures);
  }
}
