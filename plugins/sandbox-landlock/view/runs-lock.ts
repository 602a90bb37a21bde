import { closeSync, constants, openSync } from "node:fs";
import { makeDir } from "@gantry/sdk/node";
import { libcCall } from "../kernel/kernel.ts";

const LOCK_EX = 2;

/**
 * Keeps every other process and thread from changing what is kept of runs, and from taking one over,
 * so that no two change between them what each was judged by: held from the plan to the last step.
 * It goes with its process.
 */
export class RunsLock {
  readonly #fd: number;

  /** Waits for whoever has it. Throws KernelError if the file system has no locks. */
  constructor(runs: string) {
    makeDir(runs);
    this.#fd = openSync(runs, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      libcCall("flock", ["int", "int"], this.#fd, LOCK_EX);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** Returns what `work` returns, which it calls with the lock; gives the lock back after that. */
  during<T>(work: () => T): T {
    try {
      return work();
    } finally {
      this.release();
    }
  }

  release(): void {
    closeSync(this.#fd);
  }
}
