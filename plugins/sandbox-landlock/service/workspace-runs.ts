import type { ConfinedProcess, Outcome } from "./confined-process.ts";
import { ConfinedFault } from "./failures.ts";
import type { Request } from "../messages.ts";
import type { LeftRun, RunNote, RunNotes } from "./run-notes.ts";
import { aboutPath, identityOf } from "../workspace/about-path.ts";
import type { Before } from "../workspace/kept-files.ts";

interface Run {
  readonly process: ConfinedProcess;
  readonly over: Promise<unknown>;
}

/** What looks after runs that were lost: it opens all of the workspace. */
export interface Looker {
  /** Undoes what one did to guarded files. */
  lookAfter(run: LeftRun): Promise<unknown>;
  /** Withholds what changed since then, in ms since 1970. */
  decide(since: number): Promise<unknown>;
}

/**
 * The runs of a service in one workspace. A run whose process was lost may have left what its owner's programs obey, and
 * where the mask has fallen off a secret file, one may have given that another name. Until this is looked through no other
 * run begins and nothing is opened.
 */
export class WorkspaceRuns {
  readonly #notes: RunNotes;
  readonly #under = new Set<Run>();
  /** Secret files over which each process laid masks, with what they were. */
  readonly #masked = new WeakMap<ConfinedProcess, ReadonlyMap<string, string>>();
  /** What was there before the last run of each process. */
  readonly #before = new WeakMap<ConfinedProcess, Before>();
  /** Since when files may have been moved that nobody looked at, in ms since 1970; undefined where all is decided. */
  #undecided: number | undefined;
  #looker: Looker | undefined;
  #looking: Promise<void> | undefined;

  constructor(notes: RunNotes) {
    this.#notes = notes;
  }

  /** To be called before the first run. */
  lookBy(looker: Looker): void {
    this.#looker = looker;
  }

  remember(process: ConfinedProcess, masked: readonly string[]): void {
    this.#masked.set(process, new Map(masked.map((file) => [file, identityAt(file)])));
  }

  /** Resolves once all that lost runs left, of this service or of one that was killed, is looked through. Throws why it cannot be. */
  async look(): Promise<void> {
    const looking = (this.#looking ??= this.#look());
    try {
      await looking;
    } finally {
      if (this.#looking === looking) this.#looking = undefined;
    }
  }

  /** Follows a run to its end, or to that of its process, and then has it looked after. */
  async follow<K extends Request["do"]>(
    process: ConfinedProcess,
    start: (before: (before: Before) => void) => Promise<Outcome<K>>,
  ): Promise<Outcome<K>> {
    const note = this.#notes.begin(this.#before.get(process));
    const began = Date.now();
    const over = start((before) => {
      this.#before.set(process, before);
      note.tell(before);
    });
    const run = { process, over };
    this.#under.add(run);
    try {
      const outcome = await over;
      const since = "undecided" in outcome.value ? outcome.value.undecided : undefined;
      if (since !== undefined) this.#leave(since);
      note.end();
      return outcome;
    } catch (error) {
      if (isLost(process, error)) this.#lose(process, note, began);
      else note.end();
      throw error;
    } finally {
      this.#under.delete(run);
    }
  }

  /** True where no run that is under way has lost a mask; else resolves once those that have are over. */
  async hold(): Promise<boolean> {
    const { signal } = new AbortController();
    const held = await Promise.all(
      [...this.#under].map(async ({ process, over }) => {
        const asked = process.request<"hold">({ do: "hold" }, signal).then(({ value }) => value.held);
        if (await asked.catch(() => false)) return true;
        await over.catch(() => undefined);
        return false;
      }),
    );
    return held.every(Boolean);
  }

  #lose(process: ConfinedProcess, note: RunNote, began: number): void {
    if (this.#lostMask(process)) this.#leave(began);
    note.lose();
    // Its owner may be about to use what it left. Whatever is asked next is told what goes wrong.
    void this.look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    for (const run of this.#notes.left()) {
      await this.#looker?.lookAfter(run);
      run.forget();
    }
    const since = this.#undecided;
    if (since === undefined) return;
    await this.#looker?.decide(since);
    if (this.#undecided === since) this.#undecided = undefined;
  }

  #lostMask(process: ConfinedProcess): boolean {
    return [...(this.#masked.get(process) ?? [])].some(([file, was]) => identityAt(file) !== was);
  }

  #leave(since: number): void {
    this.#undecided = Math.min(since, this.#undecided ?? Infinity);
  }
}

/** False where it was refused before it began, or did not start. */
function isLost(process: ConfinedProcess, error: unknown): boolean {
  return error instanceof ConfinedFault ? error.fault.fault === "failed" : !process.usable;
}

function identityAt(file: string): string {
  const about = aboutPath(file);
  return about ? identityOf(about) : "";
}
