import { lstatSync } from "node:fs";
import type { ConfinedProcess, Outcome } from "./confined-process.ts";
import type { Request } from "../messages.ts";
import { identityOf } from "../workspace/file-identity.ts";

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
  /** Secret files over which each process laid masks, with what they were. */
  readonly #masked = new WeakMap<ConfinedProcess, ReadonlyMap<string, string>>();
  /** Since when files may have been moved that nobody looked at, in ms since 1970; undefined where all is decided. */
  #undecided: number | undefined;

  get undecided(): number | undefined {
    return this.#undecided;
  }

  /** All was decided since then. */
  decide(since: number): void {
    if (this.#undecided === since) this.#undecided = undefined;
  }

  #lostMask(process: ConfinedProcess): boolean {
    return [...(this.#masked.get(process) ?? [])].some(([file, was]) => identityAt(file) !== was);
  }

  #leave(since: number): void {
    this.#undecided = Math.min(since, this.#undecided ?? Infinity);
  }

  remember(process: ConfinedProcess, masked: readonly string[]): void {
    this.#masked.set(process, new Map(masked.map((file) => [file, identityAt(file)])));
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
      if (!process.usable && this.#lostMask(process)) this.#leave(began);
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

function identityAt(file: string): string {
  const about = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return about ? identityOf(about) : "";
}
