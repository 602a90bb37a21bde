import { listAll, type Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Job, JobRun } from "./job.ts";

const jobs = "jobs";
const runs = "job-runs";
const marks = "job-marks";
const changes = "job-changes";
const lastChange = "last";
/** The time for which the outcome of a due time is kept. */
const keptMs = 30 * 86_400_000;
const maxJobs = 1_000;

/** The progress of a job. */
export interface Mark {
  /** The last due time that was dealt with, Unix ms. */
  readonly handled: number;
  /** The due time that was being run when this was kept, Unix ms. */
  readonly begun?: number;
  readonly isPaused?: boolean;
  /** Why the last run failed. */
  readonly failed?: string;
}

/** Jobs, their marks and what became of their due times, in the store. */
export class JobShelf {
  readonly #store: () => Store;
  readonly #configured: readonly Job[];

  constructor(store: () => Store, configured: readonly Job[]) {
    this.#store = store;
    this.#configured = configured;
  }

  /** Returns those of the configuration and those that were made since, by name. */
  async all(): Promise<readonly Job[]> {
    const made = await listAll<Job>(this.#store().values, jobs);
    const names = new Set(this.#configured.map(({ name }) => name));
    const others = made.map(({ value }) => value).filter(({ name }) => !names.has(name));
    return [...this.#configured, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Throws JOB_UNKNOWN. */
  async named(name: string): Promise<Job> {
    const job = (await this.all()).find((one) => one.name === name);
    if (!job) throw errors.JOB_UNKNOWN(name);
    return job;
  }

  /** Throws JOB_TAKEN and JOB_TOO_MANY. */
  async add(job: Job): Promise<void> {
    const all = await this.all();
    if (all.length >= maxJobs) throw errors.JOB_TOO_MANY(all.length);
    const isFree = !this.#configured.some(({ name }) => name === job.name);
    if (!isFree || !(await this.#store().values.add(jobs, job.name, job))) throw errors.JOB_TAKEN(job.name);
    await this.#store().values.remove(marks, job.name);
    await this.#changed();
  }

  /** Throws JOB_UNKNOWN and JOB_CONFIGURED. */
  async remove(name: string): Promise<void> {
    if ((await this.named(name)).isConfigured) throw errors.JOB_CONFIGURED(name, name);
    await this.#store().values.remove(jobs, name);
    await this.#store().values.remove(marks, name);
    await this.#changed();
  }

  /** Throws JOB_UNKNOWN. What falls due while a job is paused is not made up for. */
  async pause(name: string, isPaused: boolean): Promise<void> {
    await this.named(name);
    await this.setMark(name, { handled: Date.now(), isPaused });
    await this.#changed();
  }

  /**
   * Returns what is another whenever a job was made, removed, paused or resumed, by any process.
   */
  async version(): Promise<string> {
    return (await this.#store().values.get<string>(changes, lastChange)) ?? "";
  }

  async marks(): Promise<ReadonlyMap<string, Mark>> {
    const all = await listAll<Mark>(this.#store().values, marks);
    return new Map(all.map(({ key, value }) => [key, value]));
  }

  async mark(name: string): Promise<Mark | undefined> {
    return this.#store().values.get<Mark>(marks, name);
  }

  async setMark(name: string, mark: Mark): Promise<void> {
    await this.#store().values.put(marks, name, mark);
  }

  /**
   * Keeps the outcome of a due time of which nothing is known yet; returns false if something is.
   */
  addRun(run: JobRun): Promise<boolean> {
    return this.#store().values.add(runs, keyOf(run), run, { forMs: keptMs });
  }

  async endRun(run: JobRun): Promise<void> {
    await this.#store().values.put(runs, keyOf(run), run, { forMs: keptMs });
  }

  /** Returns what became of a job's due times, the oldest first. */
  async runs(name: string): Promise<readonly JobRun[]> {
    const all = await listAll<JobRun>(this.#store().values, runs, `${name} `);
    return all.map(({ value }) => value);
  }

  async run(job: string, due: string): Promise<JobRun | undefined> {
    return this.#store().values.get<JobRun>(runs, keyOf({ job, due }));
  }

  async #changed(): Promise<void> {
    await this.#store().values.put(changes, lastChange, crypto.randomUUID());
  }
}

function keyOf({ job, due }: Pick<JobRun, "job" | "due">): string {
  return `${job} ${due}`;
}
