import { laneOf, Store, type Claim, type Logger } from "@gantry/sdk";
import { asError, shortHash } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import { ClaimedMessages } from "./claimed-messages.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Inbox } from "./inbox.ts";
import { againMs, Delivery } from "./delivery.ts";
import type { Registry } from "../plugins/registry.ts";

/** Turns at the same time; each conversation has at most one. */
const maxParallel = 1_000;
const leaseMs = 60_000;

interface Running {
  readonly work: Promise<void>;
  readonly lost: AbortController;
}

export interface WorkerDeps {
  readonly registry: Registry;
  readonly inbox: Inbox;
  readonly approvals: Approvals;
  readonly log: Logger;
  readonly holder: string;
}

/** Claims accepted messages lane by lane, as many at a time as allowed, and keeps the claims while they are worked on. */
export class LaneWorkers {
  readonly #deps: WorkerDeps;
  readonly #running = new Map<Claim, Running>();
  readonly #abort = new AbortController();
  readonly #store: Store;
  readonly #outcomes: Delivery;
  readonly #messages: ClaimedMessages;
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #filling = false;
  #again = false;
  #stopped = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    const store = deps.registry.get(Store);
    if (!store) throw new Error("lane workers need a store");
    this.#store = store;
    this.#outcomes = new Delivery(deps.log);
    this.#messages = new ClaimedMessages({ ...deps, lanes: store.lanes, outcomes: this.#outcomes });
  }

  /** What an earlier process left half done is taken up again. */
  async start(): Promise<void> {
    await this.#store.lanes.recover();
    this.#deps.inbox.onAccepted(() => void this.#fill());
    this.#renewal = setInterval(() => this.#renew(), leaseMs / 3);
    await this.#fill();
  }

  /** No new work; what runs has until `signal`, then it is cancelled and stays on disk for the next start. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    this.#outcomes.stop();
    this.#deps.inbox.onAccepted(() => {});
    clearTimeout(this.#timer);
    const ended = Promise.allSettled(this.#works());
    const late = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await Promise.race([ended, late]);
    this.#abort.abort();
    await Promise.allSettled(this.#works());
    clearInterval(this.#renewal);
  }

  /** Claims until nothing is due or the bound is reached; one pass at a time. */
  async #fill(): Promise<void> {
    this.#again = true;
    if (this.#filling) return;
    this.#filling = true;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#claimAll();
      }
    } catch (error) {
      this.#outcomes.failed(asError(error));
      this.#wakeAt(Date.now() + againMs);
    } finally {
      this.#filling = false;
    }
  }

  async #claimAll(): Promise<void> {
    while (!this.#stopped && this.#running.size < maxParallel) {
      if (this.#outcomes.wait) return this.#wakeAt(Date.now() + againMs);
      const claim = await this.#store.lanes.claim(this.#deps.holder, leaseMs, Date.now());
      if (!claim) return this.#wakeAt(await this.#store.lanes.nextDue());
      this.#outcomes.worksAgain();
      const lost = new AbortController();
      const signal = AbortSignal.any([this.#abort.signal, lost.signal]);
      const { trace } = claim.message;
      const traced = { trace, conversation: shortHash(laneOf(claim.message)) };
      const work = runTraced(traced, () => this.#messages.work(claim, signal)).finally(() => {
        this.#running.delete(claim);
        void this.#fill();
      });
      this.#running.set(claim, { work, lost });
    }
  }

  #wakeAt(due: number | undefined): void {
    clearTimeout(this.#timer);
    if (due !== undefined && !this.#stopped)
      this.#timer = setTimeout(() => void this.#fill(), Math.max(due - Date.now(), 10));
  }

  #works(): readonly Promise<void>[] {
    return [...this.#running.values()].map(({ work }) => work);
  }

  /** Work whose lease is lost is somebody else's now, so it is ended before it can send, and not waited for. */
  #renew(): void {
    for (const [claim, { lost }] of this.#running) {
      const renewed = this.#store.lanes.renew(claim, leaseMs, Date.now());
      void renewed.then(
        (held) => {
          if (held || !this.#running.delete(claim)) return;
          lost.abort();
          void this.#fill();
        },
        () => {},
      );
    }
  }
}
