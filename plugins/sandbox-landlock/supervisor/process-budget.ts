import { THREADS, allProcesses, descendantsOf } from "./descendants.ts";
import { pause } from "./pause.ts";

/** Counting reads every process there is. */
const COUNT_MS = 20;

/** The number of processes and threads that runs may still start, if no control group limits it. */
export class ProcessBudget {
  readonly #most: number;
  readonly #confined: () => readonly number[];
  #left = 0;
  #counted = Number.NEGATIVE_INFINITY;
  /** The last count found as many as may be. */
  #isFull = false;

  /** `confined`: the processes whose runs count together. */
  constructor(most: number, confined: () => readonly number[]) {
    this.#most = most;
    this.#confined = confined;
  }

  /**
   * Takes one. What has ended is given back when the rest is used up: a script that starts many
   * short programs waits for the next count, and only one that keeps as many alive as may be is
   * refused until then.
   */
  take(): boolean {
    if (this.#left <= 0) {
      const early = this.#counted + COUNT_MS - performance.now();
      if (early > 0 && this.#isFull) return false;
      if (early > 0) pause(early);
      this.#count();
    }
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }

  #count(): void {
    const processes = allProcesses();
    const tasks = this.#confined()
      .flatMap((pid) => descendantsOf(pid, processes))
      .reduce((sum, pid) => sum + Number(processes.get(pid)![THREADS]), 0);
    this.#left = this.#most - tasks;
    this.#isFull = this.#left <= 0;
    this.#counted = performance.now();
  }
}
