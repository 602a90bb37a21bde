import { laneOf, type Claim, type Logger, type Store } from "@gantry/sdk";
import { asError, openFilesLimit, shortHash } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import { Attempts, type AttemptDeps } from "./attempts.ts";
import type { Clock } from "./clock.ts";
import { againMs, Outcomes } from "./outcomes.ts";
import { FollowedClock } from "./followed-clock.ts";
import { Outages } from "./outages.ts";
import { Suspects } from "./suspects.ts";

/** Turns at the same time; each conversation has at most one. */
const maxParallel = 1_000;
const leaseMs = 60_000;
/** What other processes put into the store, and a clock that was set, are noticed within this time. */
const lookMs = 2_000;

interface Running {
  readonly work: Promise<void>;
  readonly lost: AbortController;
}

export interface WorkerDeps extends Omit<AttemptDeps, "outages" | "outcomes" | "clock"> {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Logger;
  /** This process, in leases. */
  readonly holder: string;
}

/** Claims accepted messages lane by lane, as many at a time as allowed, and keeps the claims while they are worked on. */
export class LaneWorkers {
  readonly #deps: WorkerDeps;
  readonly #running = new Map<Claim, Running>();
  readonly #abort = new AbortController();
  readonly #outcomes: Outcomes;
  readonly #outages: Outages;
  readonly #attempts: Attempts;
  readonly #clock: FollowedClock;
  readonly #suspects: Suspects;
  readonly #most = parallelTurns(openFilesLimit());
  #asleep: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #filling = false;
  #again = false;
  #stopped = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#outcomes = new Outcomes(deps.log);
    const { lanes } = deps.store;
    this.#outages = new Outages({ ...deps, lanes, outcomes: this.#outcomes });
    this.#clock = new FollowedClock({ ...deps, outcomes: this.#outcomes });
    this.#suspects = new Suspects(() => this.#clock.passed());
    const own = { outages: this.#outages, outcomes: this.#outcomes, clock: this.#clock };
    this.#attempts = new Attempts({ ...deps, ...own });
  }

  /** What an earlier process left half done is taken up again. */
  async start(): Promise<void> {
    await this.#deps.store.lanes.recover();
    await this.#outages.start();
    this.#asleep = this.#deps.wakeup.onWake(() => void this.#fill());
    this.#renewal = setInterval(() => void this.#renew(), leaseMs / 3);
    await this.#fill();
  }

  /** No new work; what runs has until `signal`, then it is cancelled and stays on disk for the next start. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
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
    const { store, holder, clock } = this.#deps;
    await this.#clock.follow();
    while (!this.#stopped && this.#running.size < this.#most) {
      if (this.#outcomes.wait) return this.#lookIn(againMs);
      const pause = this.#suspects.pauseMs(this.#running.size);
      if (pause > 0) return this.#lookIn(pause);
      const claim = await store.lanes.claim(holder, leaseMs, clock.now(), this.#suspects.next);
      if (!claim) return this.#lookIn(await this.#untilDue());
      this.#outcomes.worksAgain();
      this.#begin(claim);
    }
    this.#lookIn(lookMs);
  }

  /** Nothing could be claimed: ms until there is something. A suspect that is due is made room for. */
  async #untilDue(): Promise<number> {
    const { lanes } = this.#deps.store;
    const now = this.#deps.clock.now();
    this.#suspects.leave();
    const due = await lanes.nextDue(this.#suspects.bounds);
    if (due === undefined) return lookMs;
    if (due <= now && ((await lanes.nextDue(this.#suspects.usual)) ?? Infinity) > now)
      this.#suspects.makeRoom();
    return due - now;
  }

  #begin(claim: Claim): void {
    const ends = this.#suspects.begin(claim);
    if (ends > 0)
      this.#deps.log.warn(
        { lane: laneOf(claim.message), id: claim.message.id },
        `The service ended ${ends} times while this message was worked on: it is tried while nothing else is begun.`,
      );
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, lost.signal]);
    const holds = (): Promise<boolean> => this.#holds(claim);
    const traced = { trace: claim.message.trace, conversation: shortHash(laneOf(claim.message)) };
    const work = runTraced(traced, () => this.#attempts.work(claim, signal, holds)).finally(() => {
      this.#running.delete(claim);
      this.#suspects.end(claim);
      void this.#fill();
    });
    this.#running.set(claim, { work, lost });
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), Math.min(Math.max(ms, 10), lookMs));
  }

  /** Reads before it claims: an idle service writes nothing. */
  async #look(): Promise<void> {
    const { store, clock } = this.#deps;
    try {
      await this.#clock.follow();
      const due = (await store.lanes.nextDue(this.#suspects.bounds)) ?? Infinity;
      if (due > clock.now()) return this.#lookIn(due - clock.now());
    } catch {
      // Claiming fails in the same way, and says so.
    }
    await this.#fill();
  }

  #works(): readonly Promise<void>[] {
    return [...this.#running.values()].map(({ work }) => work);
  }

  async #renew(): Promise<void> {
    await this.#clock.follow().catch(() => {});
    for (const claim of this.#running.keys()) void this.#holds(claim).catch(() => {});
  }

  /** Work whose lease is lost is somebody else's now, so it is ended before it can send, and not waited for. */
  async #holds(claim: Claim): Promise<boolean> {
    const { store, clock } = this.#deps;
    const isHeld = await this.#outcomes.record(() => store.lanes.renew(claim, leaseMs, clock.now()));
    const running = this.#running.get(claim);
    if (!isHeld && running && this.#running.delete(claim)) {
      running.lost.abort();
      void this.#fill();
    }
    return isHeld;
  }
}

/** Connections of strangers may take half of the files; a turn needs one to the model and one to the platform. */
function parallelTurns(files: number): number {
  const others = 64 + Math.min(1_024, files / 2);
  return Math.min(maxParallel, Math.max(4, Math.floor((files - others) / 2)));
}
