import { laneOf, type Claim, type RunningWorker } from "@gantry/sdk/fill";
import type { CheckRow, TurnEvent } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { openFilesLimit } from "../shared/open-files.ts";
import { Attempts, type AttemptDeps } from "./attempts.ts";
import { againMs, Outcomes } from "./outcomes.ts";
import { Outages } from "./outages.ts";
import { Suspects } from "./suspects.ts";
import { tellHeldBack } from "./tell-held-back.ts";

/** Turns at the same time; each conversation has at most one. */
const maxParallel = 1_000;
/** The most messages that one call to the store claims. */
const atOnce = 64;
const leaseMs = 60_000;
/**
 * The time between two looks at the store for messages of other nodes, if it does not tell of them.
 */
const lookMs = 1_000;
const stillMs = 3_000;

interface Running {
  readonly work: Promise<void>;
  readonly lost: AbortController;
  /** The questions that its turn waits for. */
  readonly asked: Set<string>;
  /** When the lease was last known to hold, by `performance.now()`. */
  heldAt: number;
}

export type WorkerDeps = Omit<AttemptDeps, "outages" | "outcomes">;

/** Claims accepted messages lane by lane, and holds the claims while they are worked on. */
export class LaneWorkers implements RunningWorker {
  readonly #deps: WorkerDeps;
  readonly #running = new Map<Claim, Running>();
  readonly #abort = new AbortController();
  readonly #outcomes: Outcomes;
  readonly #outages: Outages;
  readonly #attempts: Attempts;
  readonly #suspects = new Suspects();
  readonly #most = parallelTurns(openFilesLimit());
  #asleep: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #filling = false;
  #again = false;
  #stopped = false;
  #unheard: AbortSignal | undefined;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#outcomes = new Outcomes(deps.log);
    const { lanes } = deps.messages;
    this.#outages = new Outages({ ...deps, lanes, outcomes: this.#outcomes });
    this.#attempts = new Attempts({ ...deps, outages: this.#outages, outcomes: this.#outcomes });
  }

  /** The unfinished work of an earlier process is taken up again. */
  async start(): Promise<void> {
    await this.#deps.messages.lanes.recover();
    await this.#outages.start();
    await tellHeldBack(this.#deps);
    this.#asleep = this.#deps.messages.lanes.onDue(() => void this.#fill());
    this.#renewal = setInterval(() => this.#renew(), leaseMs / 3);
    await this.#fill();
  }

  /** Returns what messages wait for, and what has worked for them. */
  readyRows(): readonly CheckRow[] {
    return this.#outages.rows();
  }

  /**
   * No new work; what runs has until `signal`, then it is cancelled and stays in the store. What
   * waits for a person has until `unheard`.
   */
  async stop(signal: AbortSignal, unheard?: AbortSignal): Promise<void> {
    this.#stopped = true;
    this.#unheard = unheard;
    const end = (): void => {
      for (const { asked, lost } of this.#running.values()) if (asked.size > 0) lost.abort();
    };
    unheard?.addEventListener("abort", end, { once: true });
    if (unheard?.aborted) end();
    this.#outcomes.stop();
    this.#outages.stop();
    this.#asleep();
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
      this.#lookIn(againMs);
    } finally {
      this.#filling = false;
    }
  }

  async #claimAll(): Promise<void> {
    const { messages } = this.#deps;
    while (!this.#stopped && this.#running.size < this.#most) {
      if (this.#outcomes.wait) return this.#lookIn(againMs);
      const max = Math.min(atOnce, this.#most - this.#running.size);
      let claims = await messages.claim(max, leaseMs, this.#suspects.others);
      if (claims.length === 0) {
        const { bounds } = this.#suspects;
        const dueIn = (await messages.lanes.dueIn(bounds)) ?? lookMs;
        if (dueIn > 0) return this.#lookIn(dueIn);
        // Only a suspect is left, or a message that came this moment.
        claims = await messages.claim(1, leaseMs, bounds);
      }
      if (claims.length === 0) return this.#lookIn(lookMs);
      this.#outcomes.worksAgain();
      for (const claim of claims) {
        this.#begin(claim);
        // A platform's confirmations are noted before the next message begins.
        if (!this.#stopped) await new Promise(setImmediate);
      }
    }
    this.#lookIn(lookMs);
  }

  #begin(claim: Claim): void {
    const ends = this.#suspects.begin(claim);
    if (ends > 0)
      this.#deps.log.warn(
        { lane: laneOf(claim.message), id: claim.message.id },
        `The service ended ${ends} times while this message was worked on: it is tried again.`,
      );
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, lost.signal]);
    const holds = (): Promise<boolean> => this.#holds(claim);
    const asked = new Set<string>();
    const onEvent = (event: TurnEvent): void => {
      if (event.type === "approval_request") asked.add(event.request.id);
      if (event.type === "approval_done") asked.delete(event.id);
      if (this.#unheard?.aborted && asked.size > 0) lost.abort();
    };
    const attempt = (): Promise<void> => this.#attempts.work(claim, { signal, holds, onEvent });
    const work = this.#deps.messages.traced(claim, attempt).finally(() => {
      this.#running.delete(claim);
      this.#suspects.end(claim);
      void this.#fill();
    });
    this.#running.set(claim, { work, lost, asked, heldAt: performance.now() });
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const wait = Math.min(Math.max(ms, 10), lookMs);
    const due = performance.now() + wait;
    this.#timer = setTimeout(() => {
      // A lane that a process holds may be another's once it has stood still.
      if (performance.now() - due > stillMs) this.#renew();
      void this.#look();
    }, wait);
  }

  /** Reads before it claims: an idle service writes nothing. */
  async #look(): Promise<void> {
    try {
      const dueIn = (await this.#deps.messages.lanes.dueIn(this.#suspects.bounds)) ?? lookMs;
      if (dueIn > 0) return this.#lookIn(dueIn);
    } catch {
      // Claiming fails in the same way, and says so.
    }
    await this.#fill();
  }

  #works(): readonly Promise<void>[] {
    return [...this.#running.values()].map(({ work }) => work);
  }

  #renew(): void {
    for (const claim of this.#running.keys()) void this.#holds(claim).catch(() => {});
  }

  /** False once the lane is somebody else's. */
  async #holds(claim: Claim): Promise<boolean> {
    const { lanes } = this.#deps.messages;
    const running = this.#running.get(claim);
    const asked = performance.now();
    // Once its time has passed without a word of the store, a lease may be somebody else's.
    const left = leaseMs - (asked - (running?.heldAt ?? asked));
    const silence = setTimeout(() => this.#lose(claim), Math.max(againMs, left));
    try {
      const isHeld = await this.#outcomes.record(() => lanes.renew(claim, leaseMs));
      if (!isHeld) this.#lose(claim);
      else if (running) running.heldAt = asked;
      // A word that came late says how it was before, and others may have taken the lane since.
      if (isHeld && performance.now() - asked > stillMs) return await this.#holds(claim);
      return isHeld;
    } finally {
      clearTimeout(silence);
    }
  }

  /** Its work is ended before it can send, and not waited for. */
  #lose(claim: Claim): void {
    const running = this.#running.get(claim);
    if (!running) return;
    this.#running.delete(claim);
    running.lost.abort();
    void this.#fill();
  }
}

/** Connections of strangers may take half of the files; a turn needs two. */
function parallelTurns(files: number): number {
  const others = 64 + Math.min(1_024, files / 2);
  return Math.min(maxParallel, Math.max(4, Math.floor((files - others) / 2)));
}
