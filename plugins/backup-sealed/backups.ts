import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { CheckRow, Logger, Service, Store } from "@gantry/sdk";
import { asError, makeDir } from "@gantry/sdk/node";
import { seal } from "../shared/sealed-file.ts";
import { errors } from "./errors.ts";
import { draftOf, isDraft, madeIn, nameOf, rotate, sweep } from "./folder.ts";
import type { Plan } from "./plan.ts";
import { failure, type Failed } from "./rows.ts";

/** The clock may be set meanwhile. */
const lookMs = 60_000;
/** The pause behind a backup that failed. */
const againMs = 5 * 60_000;
const plainName = /^backup-\d+\.tmp/;

export interface BackupNeeds {
  readonly store: Store;
  /** The folder of the service's own state, in which the store stands in the clear too. */
  readonly state: string;
  readonly log: Logger;
}

/** Makes each backup at its time, and one at the start if none is there or one was missed. */
export class Backups implements Service {
  readonly name = "backups";
  readonly always = true;
  readonly #plan: () => Promise<Plan>;
  readonly #needs: BackupNeeds;
  readonly #stop = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Undefined before the first one; null once one is made. */
  #failed: Failed | null | undefined;

  constructor(plan: () => Promise<Plan>, needs: BackupNeeds) {
    [this.#plan, this.#needs] = [plan, needs];
  }

  /** Throws BACKUP_OWN_ENGINE, and what is wrong in `[backup]`. */
  async start(): Promise<void> {
    if (!this.#needs.store.backup) throw errors.BACKUP_OWN_ENGINE();
    const plan = await this.#plan();
    this.#again(plan, 0);
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    const isUp = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await Promise.race([this.#looking, isUp]);
  }

  /** Returns the trouble that there is, or that there is none any more. */
  rows(): readonly CheckRow[] {
    if (this.#failed === undefined) return [];
    return [this.#failed ? failure(this.#failed) : { what: "backup", state: "ok", detail: "made" }];
  }

  #again(plan: Plan, ms: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look(plan).then((pause) => this.#again(plan, pause));
    }, ms);
  }

  /** Returns the ms until the next look. */
  async #look(plan: Plan): Promise<number> {
    try {
      const now = Date.now();
      const last = (await madeIn(plan.folder)).findLast(({ at }) => at <= now);
      const due = plan.next(last?.at ?? 0) ?? Infinity;
      if (due > now) return Math.min(due - now, lookMs);
      await this.#make(plan, now);
      return lookMs;
    } catch (error) {
      if (this.#stop.signal.aborted) return againMs;
      await this.#fails(asError(error));
      return againMs;
    }
  }

  async #make({ folder, keep, passphrase }: Plan, now: number): Promise<void> {
    const { store, state, log } = this.#needs;
    makeDir(state);
    // Only one process serves, so what is there was left by a killed one.
    await sweep(state, (name) => plainName.test(name));
    await sweep(folder, isDraft);
    const plain = path.join(state, `backup-${process.pid}.tmp`);
    const name = nameOf(now);
    const draft = path.join(folder, draftOf(name));
    try {
      await store.backup?.(plain);
      await seal(plain, draft, passphrase, this.#stop.signal);
      await rename(draft, path.join(folder, name));
      await synced(folder);
    } finally {
      await rm(plain, { force: true });
      await rm(draft, { force: true });
    }
    await rotate(folder, keep, now);
    await store.values.remove("backup", "failed");
    this.#failed = null;
    log.info({ file: name }, "A backup was made.");
  }

  async #fails(error: Error): Promise<void> {
    const { store, log } = this.#needs;
    this.#failed = { at: new Date().toISOString(), why: error.message };
    log.error({ err: error }, "A backup failed.");
    // The store may be what is in trouble.
    await store.values.put("backup", "failed", this.#failed).catch(() => undefined);
  }
}

async function synced(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
