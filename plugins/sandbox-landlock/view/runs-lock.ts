import { closeSync, constants, openSync } from "node:fs";
import { constants as os } from "node:os";
import { setTimeout } from "node:timers/promises";
import { makeDir } from "@gantry/sdk/node";
import { libcCall } from "../kernel/kernel.ts";
import { isErrno } from "./copies.ts";

const { EAGAIN } = os.errno;
const LOCK_EX = 2;
const LOCK_NB = 4;
const TRY_MS = 20;

/**
 * Keeps every other process and thread from changing what is kept of runs, and from taking one
 * over, so that no two change between them what each was judged by: held from the plan to the last
 * step. It goes with its process.
 */
export class RunsLock {
  readonly #fd: number;

  /**
   * Holds up its thread while somebody else has it; with `now`, throws EAGAIN then. Throws
   * KernelError if the file system has no locks.
   */
  constructor(runs: string, now = false) {
    this.#fd = openSync(runs, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      libcCall("flock", ["int", "int"], this.#fd, LOCK_EX | (now ? LOCK_NB : 0));
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** Waits, and does not hold up the thread, on which its holder may depend. Throws KernelError. */
  static async later(runs: string): Promise<RunsLock> {
    makeDir(runs);
    for (;;) {
      try {
        return new RunsLock(runs, true);
      } catch (error) {
        if (!isErrno(error, EAGAIN)) throw error;
        await setTimeout(TRY_MS);
      }
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
