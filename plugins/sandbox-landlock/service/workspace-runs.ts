import { lstatSync } from "node:fs";
import path from "node:path";
import type { ConfinedProcess, Outcome } from "./confined-process.ts";
import type { Request } from "../messages.ts";

/** The clock of a file system is behind by less than this. */
const SETTLED_MS = 50;

interface Run {
  readonly process: ConfinedProcess;
  readonly over: Promise<unknown>;
}

/**
 * The runs of a service in one workspace. Where the mask has fallen off a secret file, a run may have given that another
 * name, and until this is decided no other run begins, since it would open it.
 */
export class WorkspaceRuns {
  readonly #under = new Set<Run>();
  /** Since when files may have been moved that nobody looked at, in ms since 1970; undefined where all is decided. */
  #undecided: number | undefined;

  get undecided(): number | undefined {
    return this.#undecided;
  }

  /** All was decided since then. */
  decide(since: number): void {
    if (this.#undecided === since) this.#undecided = undefined;
  }

  #leave(since: number): void {
    this.#undecided = Math.min(since, this.#undecided ?? Infinity);
  }

  /** Has `over` hold up others where its process says that a mask has fallen. */
  async follow<K extends Request["do"]>(
    process: ConfinedProcess,
    over: Promise<Outcome<K>>,
  ): Promise<Outcome<K>> {
    const run = { process, over };
    const began = Date.now();
    this.#under.add(run);
    try {
      const outcome = await over;
      const since = "undecided" in outcome.value ? outcome.value.undecided : undefined;
      if (since !== undefined) this.#leave(since);
      return outcome;
    } catch (error) {
      // Nobody looked at what it left.
      if (!process.usable && process.masked.some((file) => isChanged(file, began))) this.#leave(began);
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
}

/** True where something beside the file, or the file, may have been replaced since then. */
function isChanged(file: string, since: number): boolean {
  const folder = lstatSync(path.dirname(file), { throwIfNoEntry: false });
  return !folder || folder.ctimeMs > since - SETTLED_MS;
}
