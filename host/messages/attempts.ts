import { laneOf, type Claim, type Sent, type TurnResult } from "@gantry/sdk";
import { asError, type Try } from "@gantry/sdk/node";
import type { Approvals } from "../tools/approvals.ts";
import type { Admission } from "./admission.ts";
import { ageMs, begin } from "./claim-times.ts";
import type { Conversations } from "./conversations.ts";
import type { Delivery } from "./delivery.ts";
import { kindOf } from "./failure-kind.ts";
import { budget, model } from "./outages.ts";
import { putAside } from "./put-aside.ts";
import { PutOff, type PutOffDeps } from "./put-off.ts";
import type { SenderCheck } from "./sender-check.ts";
import { sentences } from "./sentences.ts";
import { ShownTurn } from "./shown-turn.ts";
import { endedOver, mostEnds } from "./suspects.ts";
import { notedReply } from "../turn/stop-note.ts";

/** A message that fails for the service's own reasons is tried so often, in about ten seconds. */
const fewFailures = 4;
/** One that fails while the model or the platform serves others. */
const manyFailures = 16;
/** The store counts a message's age by another clock. */
const slackMs = 100;

export interface AttemptDeps extends PutOffDeps {
  readonly conversations: Conversations;
  readonly admission: Admission;
  readonly senders: SenderCheck;
  readonly approvals: Approvals;
  readonly delivery: Delivery;
  /** Milliseconds after which a turn shows what it does; 0: never. */
  readonly progressMs: number;
}

/**
 * One attempt at a message that was claimed: its turn is run, the answer recorded, then sent. What cannot be done now is
 * done later; what ends without an answer is put aside, and its sender is told.
 */
export class Attempts {
  readonly #deps: AttemptDeps;
  readonly #putOff: PutOff;
  /** By `performance.now()`: what came in earlier was let in by another configuration, perhaps. */
  readonly #since = performance.now();

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
    this.#putOff = new PutOff(deps);
  }

  /** Never throws. `holds` is asked before anything is sent: false once the message is somebody else's. */
  async work(claim: Claim, signal: AbortSignal, holds: () => Promise<boolean>): Promise<void> {
    this.#tell(claim, "begun");
    begin(claim);
    try {
      if (claim.begun > mostEnds) return await this.#putOff.giveUp(claim, endedOver);
      const reply = claim.reply ?? (await this.#answer(claim, signal));
      if (reply !== undefined && (await holds())) await this.#send(claim, reply, signal);
    } catch (error) {
      // If the service stops meanwhile, the lease ends with it and the message is taken up at the next start.
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

  /** Runs the turn and records its answer before anything is sent; undefined if there is nothing to send now. */
  async #answer(claim: Claim, signal: AbortSignal): Promise<string | undefined> {
    if (await this.#isOut(claim)) return undefined;
    const run = (attempt: Try): Promise<string | undefined> => this.#run(claim, attempt, signal);
    return this.#try(model, claim, `the ${model} is away`, run);
  }

  async #run(claim: Claim, attempt: Try, signal: AbortSignal): Promise<string | undefined> {
    const { store, outages, admission, outcomes } = this.#deps;
    if (claim.triedMsAgo === undefined) {
      const afterMs = await admission.pausedFor(store, claim.message);
      if (afterMs !== undefined)
        return this.#putOff.retry(claim, { afterMs, reason: "its sender writes faster than allowed" });
    }

    const { result, messages } = await this.#turn(claim, signal);
    if (signal.aborted) return this.#putOff.retry(claim, { afterMs: 0, reason: "the service stopped" });
    const { error, tool_calls } = result;
    // What tools did is not done again, so this turn's end is the message's.
    if (error && tool_calls.length === 0) return this.#failed(claim, attempt, error);

    if (!error) await outages.worked(model);
    const text = error ? sentences.broke(claim.message, result.reply, error.message) : notedReply(result);
    const lane = laneOf(claim.message);
    await outcomes.record(() => store.lanes.answer(claim, text, lane, messages));
    this.#tell(claim, "answered");
    return text;
  }

  /** Puts a message aside whose sender was let in when it came and is not any more; they are not told. */
  async #isOut(claim: Claim): Promise<boolean> {
    if (ageMs(claim) + slackMs < performance.now() - this.#since) return false;
    const refusal = await this.#deps.senders.refusal(claim.message);
    if (refusal === undefined) return false;
    await putAside(this.#deps, claim, refusal);
    this.#tell(claim, "aside");
    return true;
  }

  async #turn(claim: Claim, signal: AbortSignal): ReturnType<Conversations["turn"]> {
    const shown = new ShownTurn(this.#deps, claim.message, signal);
    try {
      return await this.#deps.conversations.turn(claim.message, laneOf(claim.message), {
        signal,
        approvals: claim.message.trust === "owner" ? "ask" : "none",
        onEvent: (event) => {
          // A whole answer of the model, long before the turn ends.
          if (event.type === "tool_call") void this.#deps.outages.worked(model).catch(() => {});
          shown.tell(event);
        },
      });
    } finally {
      await shown.end();
    }
  }

  /** The turn ended without an answer. */
  async #failed(claim: Claim, attempt: Try, error: NonNullable<TurnResult["error"]>): Promise<undefined> {
    const { outages, log } = this.#deps;
    if (error.code === "STORE_FAILED") return this.#putOff.storeFailed(claim, new Error(error.message));
    const kind = kindOf(error);
    if (kind === "request") await outages.worked(model);
    if (kind === "request" || kind === "refused") return this.#putOff.giveUp(claim, error.message);
    if (kind === "later") {
      const afterMs = error.retryAfterMs ?? 0;
      const text = sentences.later(claim.message, Date.now() + afterMs, error.message);
      return this.#putOff.waitFor(
        budget,
        claim,
        { reason: error.message, tried: true },
        { text, ms: afterMs },
      );
    }
    if (kind === "own" || kind === "passing")
      log.warn(
        { lane: laneOf(claim.message), attempt: claim.deliveryCount },
        `A message could not be answered yet: ${error.message}`,
      );
    if (kind === "own") return this.#putOff.again(claim, error.message, fewFailures);

    const counts = outages.workedSince(model, claim);
    if (counts && claim.failures + 1 >= manyFailures) return this.#putOff.giveUp(claim, error.message);
    const failure = { askedMs: error.retryAfterMs, isSure: kind !== "passing" };
    if (!outages.failed(model, attempt, error.message, failure))
      return this.#putOff.again(claim, error.message, counts ? manyFailures : Infinity);

    const told = kind === "account" && { text: sentences.waits(claim.message, error.message) };
    return this.#putOff.waitFor(model, claim, { reason: error.message, tried: true, counts }, { ...told });
  }

  async #send(claim: Claim, reply: string, signal: AbortSignal): Promise<void> {
    const platform = `channel:${claim.message.channel}`;
    await this.#try(platform, claim, "the platform takes nothing now", async (attempt) => {
      const sent = await this.#deps.delivery.reply(claim, reply, signal);
      await this.#sent(claim, sent, platform, attempt);
    });
  }

  /** Notes what came of sending the reply. */
  async #sent(claim: Claim, sent: Sent, platform: string, attempt: Try): Promise<void> {
    const { store, outages, outcomes, log } = this.#deps;
    if (sent.status === "sent") {
      // Before anything else: what is confirmed and not noted is sent again by the process after this one.
      await outcomes.record(() => store.lanes.ack(claim));
      this.#tell(claim, "sent");
      return outages.worked(platform);
    }
    const { reason } = sent;
    const detail = { lane: laneOf(claim.message), status: sent.status };
    if (sent.status === "refused") {
      log.error(detail, `A reply was not sent: ${reason}`);
      await outages.worked(platform);
      await putAside(this.#deps, claim, reason);
      return this.#tell(claim, "aside");
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

  #tell({ message }: Claim, state: "begun" | "answered" | "sent" | "waits" | "aside"): void {
    this.#deps.observers.tell("laneMoved", { lane: laneOf(message), state });
  }
}
