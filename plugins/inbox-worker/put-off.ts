import { laneOf, type Claim, type ClaimedMessages, type Retry } from "@gantry/sdk/fill";
import type { Logger } from "@gantry/sdk";
import type { Outages } from "./outages.ts";
import type { Outcomes } from "./outcomes.ts";
import { told } from "./told.ts";

/** Milliseconds before a further try; the last of these is the longest. */
const backoffMs = [500, 2_000, 8_000, 20_000];
const dayMs = 86_400_000;

type Wait = Omit<Retry, "afterMs" | "waitsFor">;

interface Told {
  readonly ms?: number;
  readonly text?: string;
}

export interface PutOffDeps {
  readonly messages: ClaimedMessages;
  readonly outages: Outages;
  readonly outcomes: Outcomes;
  readonly log: Logger;
  /** Milliseconds that a message is kept for which could not be answered or sent. */
  readonly keepMs: number;
}

/** Tries again later. A message that is too old, or failed too often, is dead-lettered. */
export class PutOff {
  readonly #deps: PutOffDeps;

  constructor(deps: PutOffDeps) {
    this.#deps = deps;
  }

  /** A store that fails is not a fault of the message. */
  storeFailed(claim: Claim, error: Error): Promise<undefined> {
    this.#deps.outcomes.failed(error);
    return this.again(claim, error.message, Infinity);
  }

  /** Tries again after a while, longer each time; what failed too often, or is too old, ends. */
  async again(claim: Claim, reason: string, most: number, afterMs: number = 0): Promise<undefined> {
    const counts = Number.isFinite(most);
    if (counts && claim.failures + 1 >= most) return this.giveUp(claim, reason);

    const step = backoffMs[Math.min(claim.deliveryCount, backoffMs.length) - 1] as number;
    const wait = Math.max(afterMs, step * (0.75 + Math.random() / 2));
    const left = this.#deps.keepMs - claim.ageMs;
    if (left <= 0) return this.#expired(claim, reason);
    return this.retry(claim, { afterMs: Math.min(wait, left), reason, tried: true, counts });
  }

  /**
   * Keeps the message until what it waits for is back: by itself after `ms`, else once a trial
   * finds it. `text` tells its conversation so.
   */
  async waitFor(what: string, claim: Claim, retry: Wait, { ms, text }: Told = {}): Promise<undefined> {
    const { outages } = this.#deps;
    // Nobody here looks any more: whoever serves next tries it, perhaps by another configuration.
    if (outages.isOver) return this.retry(claim, { ...retry, afterMs: 0 });
    const left = this.#deps.keepMs - claim.ageMs;
    if (left <= 0) return this.#expired(claim, retry.reason);
    if (text !== undefined) await this.#tellWaiting(claim, text);
    await this.retry(claim, { ...retry, afterMs: Math.min(ms ?? left, left), waitsFor: what });
    if (ms === undefined) await outages.settle(what);
  }

  async retry(claim: Claim, retry: Retry): Promise<undefined> {
    const { messages, outcomes } = this.#deps;
    await outcomes.record(() => messages.lanes.retry(claim, retry));
    messages.moved(claim, "waits");
  }

  /** Dead-letters a message and tells its sender, in one step. */
  async giveUp(claim: Claim, reason: string): Promise<undefined> {
    const { message } = claim;
    const detail = { lane: laneOf(message), id: message.id };
    this.#deps.log.error(detail, `A message became a dead letter: ${reason}`);
    await this.aside(claim, reason, told.ended(message, reason));
  }

  /** Dead-letters a message. A notice of the service is nobody's question, so it is done with. */
  async aside(claim: Claim, reason: string, text?: string): Promise<undefined> {
    const { messages, outcomes } = this.#deps;
    const { lanes } = messages;
    const { message } = claim;
    const notice = text === undefined ? undefined : await messages.notice(message, "ended", text);
    await outcomes.record(() =>
      claim.isNotice ? lanes.ack(claim) : lanes.deadLetter(claim, reason, notice),
    );
    messages.moved(claim, "aside");
  }

  /** The outage may take long: the conversation is told, once a day. */
  async #tellWaiting({ message }: Claim, text: string): Promise<void> {
    const { messages, outcomes } = this.#deps;
    const day = Math.floor(Date.now() / dayMs);
    const id = `${laneOf(message)}:${day}`;
    const notice = await messages.notice({ ...message, id }, "waits", text);
    await outcomes.record(() => messages.lanes.post(notice));
  }

  #expired(claim: Claim, reason: string): Promise<undefined> {
    const hours = this.#deps.keepMs / 3_600_000;
    return this.giveUp(claim, `it was kept for ${hours} hours, and still: ${reason}`);
  }
}
