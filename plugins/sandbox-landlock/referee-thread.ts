// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { closeSync, writeSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import type { RefereeFacts } from "./referee.ts";
import { reply, startWorker } from "./worker.ts";

/** The thread without walls that answers what the filter asks. */
export class Referee {
  readonly worker: Worker;
  readonly #exited: Promise<unknown>;

  constructor(base: string, facts: RefereeFacts) {
    this.worker = startWorker(base, "referee-worker", facts);
    this.#exited = new Promise((resolve) => this.worker.once("exit", resolve));
  }

  /**
   * Lets it judge what comes in on `listener`; gives the descriptor of the guardian's ledger. From then on a process must not
   * end while the referee sits in poll(2), since joining it would take for ever.
   */
  async judge(listener: number): Promise<number> {
    this.worker.postMessage({ listener });
    const { wake, ledger } = await reply<{ readonly wake: number; readonly ledger: number }>(this.worker);
    const leave = (): void => {
      try {
        writeSync(wake, "\n");
      } catch {
        // It has left by itself, with the last process of its walls.
      }
    };
    process.once("exit", leave);
    this.stop = async () => {
      process.off("exit", leave);
      this.worker.ref();
      leave();
      await this.#exited;
      closeSync(wake);
    };
    this.worker.unref();
    return ledger;
  }

  stop: () => Promise<unknown> = () => this.worker.terminate();
}
