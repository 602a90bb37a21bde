import { userOf } from "@gantry/sdk/fill";
import type { InboundMessage, Logger, Store } from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import type { Outbox } from "./outbox.ts";
import { sentences } from "./sentences.ts";

/** Beyond this many waiting messages the platforms are asked to come again later. */
const maxWaiting = 10_000;
const recountMs = 200;
const minuteMs = 60_000;
/** A sender who is over a bound is told once in this time. */
const toldMs = 3_600_000;
const toldSpace = "told";

export interface SenderBounds {
  readonly max_waiting_per_sender: number;
  readonly messages_per_minute_per_sender: number;
}

export interface AdmissionDeps {
  readonly bounds: SenderBounds;
  readonly log: Logger;
  readonly outbox: Outbox;
}

/** Bounds on the messages taken, of all and of one sender, and on the pace of one's answers. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #backlog = { count: 0, counted: 0 };

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  get maxPerSender(): number {
    return this.#deps.bounds.max_waiting_per_sender;
  }

  /** Counted now and then, with what came since; nobody is sent away on an old count. */
  async isFull({ lanes }: Store, more: number): Promise<boolean> {
    const guess = this.#backlog.count + more > maxWaiting;
    if (guess || Date.now() - this.#backlog.counted > recountMs) {
      this.#backlog.counted = Date.now();
      this.#backlog.count = (await lanes.stats()).waiting;
    }
    return this.#backlog.count + more > maxWaiting;
  }

  accepted(count: number): void {
    this.#backlog.count += count;
  }

  /** The sender has too many that wait: these are not taken, which the sender is told. */
  async over(store: Store, message: InboundMessage): Promise<void> {
    await this.#tell(store, message, "over", sentences.tooMany(this.maxPerSender));
  }

  /** Counts a message; returns in how many ms its sender's pace allows it, unless it does now. */
  async pausedFor(store: Store, message: InboundMessage): Promise<number | undefined> {
    const max = this.#deps.bounds.messages_per_minute_per_sender;
    const hit = await store.limits.hit(`messages:${userOf(message)}`, [{ ms: minuteMs, max }]);
    if (hit.ok) return undefined;
    await this.#tell(store, message, "pace", sentences.tooFast(max));
    return hit.retryAfterMs;
  }

  /** A sender who floods is told once and logged once, however many messages come. */
  async #tell(store: Store, message: InboundMessage, about: string, text: string): Promise<void> {
    const user = userOf(message);
    const key = `${about}:${user}`;
    if (!(await store.values.add(toldSpace, key, true, { forMs: toldMs }))) return;
    this.#deps.log.warn(
      { user, bound: about },
      `${shortHash(user)} writes more than one sender may: ${text}`,
    );
    await store.lanes.post(await this.#deps.outbox.notice(message, about, text));
  }
}
