import { AsyncLocalStorage } from "node:async_hooks";
import type { CheckRow, Logger, Service } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { dealWith, handledBy, type DealNeeds } from "./deal.ts";
import { nextDueOf } from "./due.ts";
import type { Job } from "./job.ts";

/** Other processes make and pause jobs, and the clock may be set. */
const lookMs = 20_000;
/** A job that another process runs, or whose store failed, is looked at again after this long. */
const againMs = 5_000;
/** Runs at a time: each is a turn, beside those of people. */
const maxAtOnce = 4;

interface Scheduled {
  readonly job: Job;
  /** Unix ms; undefined if it never falls due again. */
  due: number | undefined;
}

/** Runs each job at its due times, whichever node is there. */
export class Scheduler {
  readonly #needs: DealNeeds;
  readonly #log: Logger;
  readonly #running = new Map<string, Promise<void>>();
  /** Why the last run of a job failed, or it has no due time. */
  readonly #failed = new Map<string, string>();
  #scheduled: ReadonlyMap<string, Scheduled> = new Map();
  #version: string | undefined;
  /** When it was looked last, Unix ms: a clock that was set back is seen by it. */
  #looked = 0;
  #stop: AbortController | undefined;
  /** Aborted if a stop has no more time for what runs. */
  #over = new AbortController();
  #outside: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(needs: DealNeeds, log: Logger) {
    this.#needs = needs;
    this.#log = log;
  }

  service(name: string): Service {
    return {
      name,
      start: async () => {
        this.#stop = new AbortController();
        this.#over = new AbortController();
        this.#outside = AsyncLocalStorage.snapshot();
        this.look();
      },
      stop: async (signal) => {
        this.#stop?.abort();
        clearTimeout(this.#timer);
        signal.addEventListener("abort", () => this.#over.abort());
        if (signal.aborted) this.#over.abort();
        await Promise.race([this.#ended(), aborted(signal)]);
        this.#stop = undefined;
      },
    };
  }

  get #serves(): boolean {
    return this.#stop?.signal.aborted === false;
  }

  /** Returns a row for each job whose last run failed. */
  rows(): readonly CheckRow[] {
    return [...this.#failed].map(([name, detail]) => ({
      what: `job ${name}`,
      state: "warn",
      detail,
      cure: `See \`gantry jobs history ${name}\`.`,
    }));
  }

  /**
   * Looks at the clock and for changed jobs, for nobody: a job that a tool has made does not run
   * within its call.
   */
  look(): void {
    this.#outside?.(() => this.#lookSoon());
  }

  #lookSoon(): void {
    clearTimeout(this.#timer);
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((error: unknown) => this.#log.error({ err: asError(error) }, "Jobs wait."))
      .then(() => this.#later());
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (!this.#serves) return;
    const now = Date.now();
    // The next run that ends looks again.
    if (this.#running.size >= maxAtOnce) return;
    const waits = [...this.#scheduled.values()]
      .filter(({ job, due }) => due !== undefined && !this.#running.has(job.name))
      .map(({ due = now }) => due - now);
    this.#timer = setTimeout(() => this.look(), Math.max(0, Math.min(lookMs, ...waits)));
  }

  async #look(): Promise<void> {
    if (!this.#serves) return;
    const version = await this.#needs.shelf.version();
    const now = Date.now();
    if (version !== this.#version || now < this.#looked) await this.#read(version);
    this.#looked = now;
    for (const one of this.#scheduled.values()) {
      if (this.#running.size >= maxAtOnce) return;
      if (one.due !== undefined && one.due <= now && !this.#running.has(one.job.name)) this.#begin(one);
    }
  }

  /** A schedule that cannot be read is told, and the other jobs run. */
  async #read(version: string): Promise<void> {
    const { shelf } = this.#needs;
    const [jobs, marks] = [await shelf.all(), await shelf.marks()];
    const scheduled = new Map<string, Scheduled>();
    for (const job of jobs) {
      const now = Date.now();
      const known = marks.get(job.name) ?? { handled: job.isConfigured ? now : job.made };
      const mark = { ...known, handled: handledBy(known) };
      if (mark.handled !== marks.get(job.name)?.handled) await shelf.setMark(job.name, mark);
      try {
        // The reader of a pattern is large, so none is kept for a job that waits.
        const next = await nextDueOf(job);
        const due = mark.isPaused === true ? undefined : (mark.begun ?? next(mark.handled));
        scheduled.set(job.name, { job, due });
      } catch (error) {
        this.#failed.set(job.name, asError(error).message);
      }
    }
    for (const name of this.#failed.keys())
      if (!jobs.some((job) => job.name === name)) this.#failed.delete(name);
    this.#scheduled = scheduled;
    this.#version = version;
  }

  #begin(one: Scheduled): void {
    const { name } = one.job;
    const work = this.#deal(one).catch((error: unknown) => {
      one.due = Date.now() + againMs;
      this.#log.error({ err: asError(error), job: name }, `The job ${name} waits.`);
    });
    this.#running.set(name, work);
    void work.then(() => {
      this.#running.delete(name);
      this.look();
    });
  }

  async #deal(one: Scheduled): Promise<void> {
    const { job } = one;
    const next = await nextDueOf(job);
    const dealt = await dealWith(this.#needs, job, next, this.#over.signal);
    const mark = await this.#needs.shelf.mark(job.name);
    const due = mark?.isPaused === true ? undefined : next(mark ? handledBy(mark) : Date.now());
    const isHeldElsewhere = dealt === undefined && due !== undefined && due <= Date.now();
    one.due = isHeldElsewhere ? Date.now() + againMs : due;
    if (dealt?.run?.state === "failed") this.#failed.set(job.name, dealt.run.reason ?? "It failed.");
    else if (dealt?.run) this.#failed.delete(job.name);
  }

  async #ended(): Promise<void> {
    await this.#looking;
    await Promise.all(this.#running.values());
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
