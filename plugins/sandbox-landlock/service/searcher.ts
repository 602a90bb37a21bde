import type { Outcome } from "./asked.ts";
import type { ConfinedProcess } from "./confined-process.ts";
import { ConfinedFault } from "./failures.ts";
import type { Request } from "../messages.ts";
import type { WorkspaceRuns } from "./workspace-runs.ts";

type Search = Extract<Request, { do: "search" }>;

/** It stays for the next search for so long. */
const KEEP_MS = 60_000;
/** Well before it has used the processor time that the kernel gives it, another takes its place. */
const MOST_MS = 15_000;
/** A workspace in which new secret files turn up faster than that cannot be held. */
const MAX_STALE = 5;

/**
 * The process that searches files and does nothing else, since a pattern and a line can be chosen so that looking takes
 * minutes, in linear time too: it is ended then. One search follows another, so that memory is bounded however many are wanted.
 */
export class Searcher {
  readonly #start: () => Promise<ConfinedProcess>;
  readonly #inWorkspace: WorkspaceRuns;
  #last: Promise<unknown> = Promise.resolve();
  #process: ConfinedProcess | undefined;
  #spentMs = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(start: () => Promise<ConfinedProcess>, inWorkspace: WorkspaceRuns) {
    this.#start = start;
    this.#inWorkspace = inWorkspace;
  }

  /** Throws ConfinedFault, ProcessLost where it took more than it may, what a start throws, and the signal's reason. */
  search(search: Search, signal: AbortSignal): Promise<Outcome<"search">> {
    const done = this.#last.then(() => this.#search(search, signal));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
    await this.#last;
  }

  async #search(search: Search, signal: AbortSignal): Promise<Outcome<"search">> {
    await this.#inWorkspace.look();
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const process = await this.#ready();
      const began = performance.now();
      try {
        const outcome = await process.request<"search">(search, signal);
        this.#spentMs += performance.now() - began;
        if (this.#spentMs > MOST_MS) await this.#end();
        return outcome;
      } catch (error) {
        if (!(error instanceof ConfinedFault) || isStale(error)) await this.#end();
        if (!isStale(error) || attempt === MAX_STALE) throw error;
      } finally {
        this.#rest();
      }
    }
  }

  async #ready(): Promise<ConfinedProcess> {
    clearTimeout(this.#idle);
    if (this.#process && !this.#process.usable) await this.#end();
    if (this.#process) return this.#process;
    for (let attempt = 1; attempt <= MAX_STALE; attempt++) {
      this.#process = await this.#start();
      this.#spentMs = 0;
      // Its masks cover what was secret by its name as they were laid, which a run may just have moved.
      const fits = await this.#inWorkspace.hold();
      if (fits && !this.#closed && this.#process) return this.#process;
      await this.#end();
      if (this.#closed) throw new Error("the sandbox is closed");
    }
    throw new ConfinedFault({ fault: "stale" });
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (!this.#process) return;
    this.#idle = setTimeout(() => void this.#end(), KEEP_MS);
    this.#idle.unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const process = this.#process;
    this.#process = undefined;
    await process?.close();
  }
}

const isStale = (error: unknown): boolean => error instanceof ConfinedFault && error.fault.fault === "stale";
