import { laneOf, type Claim, type Logger, type Retry, type Store } from "@gantry/sdk";
import type { Telling } from "../record/observers.ts";
import { ageMs } from "./claim-times.ts";
import type { Outages } from "./outages.ts";
import type { Outbox } from "./outbox.ts";
import type { Outcomes } from "./outcomes.ts";
import { giveUp } from "./put-aside.ts";
import { tellWaiting } from "./tell-waiting.ts";

/** What is tried again by itself is tried within the last of these, so that nobody waits long once it would work. */
const backoffMs = [500, 2_000, 8_000, 20_000];

type Wait = Omit<Retry, "afterMs" | "waitsFor">;

interface Told {
  readonly ms?: number;
  readonly text?: string;
}

export interface PutOffDeps {
  readonly store: Store;
  readonly outages: Outages;
  readonly outcomes: Outcomes;
  readonly outbox: Outbox;
  readonly observers: Telling;
  readonly log: Logger;
  /** Milliseconds that a message is kept for which could not be answered or sent. */
  readonly keepMs: number;
}

/** What cannot be done now is done later, until it is too old or failed too often: then it is put aside. */
export class PutOff {
  readonly #deps: PutOffDeps;

  constructor(deps: PutOffDeps) {
    this.#deps = deps;
  }

  /** A store that fails is no fault of the message's. */
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
    const left = this.#keptForMs(claim);
    if (left <= 0) return this.#expired(claim, reason);
    return this.retry(claim, { afterMs: Math.min(wait, left), reason, tried: true, counts });
  }

  /** Keeps the message until what it waits for is back, which comes by itself after `ms` or has to be found out; `text` says so. */
  async waitFor(what: string, claim: Claim, retry: Wait, { ms, text }: Told = {}): Promise<undefined> {
    const { outages } = this.#deps;
    // Nobody here looks any more: whoever serves next tries it, perhaps by another configuration.
    if (outages.isOver) return this.retry(claim, { ...retry, afterMs: 0 });
    const left = this.#keptForMs(claim);
    if (left <= 0) return this.#expired(claim, retry.reason);
    if (text !== undefined) await tellWaiting(this.#deps, claim.message, text);
    await this.retry(claim, { ...retry, afterMs: Math.min(ms ?? left, left), waitsFor: what });
    if (ms === undefined) await outages.settle(what);
  }

  async retry(claim: Claim, retry: Retry): Promise<undefined> {
    await this.#deps.outcomes.record(() => this.#deps.store.lanes.retry(claim, retry));
    this.#tell(claim.message, "waits");
  }

  #keptForMs(claim: Claim): number {
    return this.#deps.keepMs - ageMs(claim);
  }

  #expired(claim: Claim, reason: string): Promise<undefined> {
    return this.giveUp(claim, `it was kept for ${this.#deps.keepMs / 3_600_000} hours, and still: ${reason}`);
  }

  async giveUp(claim: Claim, reason: string): Promise<undefined> {
    await giveUp(this.#deps, claim, reason);
    this.#tell(claim.message, "aside");
  }

  #tell(message: Claim["message"], state: "waits" | "aside"): void {
    this.#deps.observers.tell("laneMoved", { lane: laneOf(message), state });
  }
}
