import { GantryError, type Logger } from "@gantry/sdk";
import { asError, withTimeout } from "@gantry/sdk/node";

/** A store that fails is tried again after this time. */
export const againMs = 500;
/** A store that does not answer for so many milliseconds has failed. */
const answerMs = 30_000;

/** Writes down what became of messages, also after the store failed for a while. */
export class Outcomes {
  readonly #log: Logger;
  #waiting = 0;
  #storeFails = false;
  #stopped = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** True while an outcome waits for the store; until it is written, nothing new may be begun. */
  get wait(): boolean {
    return this.#waiting > 0;
  }

  /** Tries until it is written; throws after `stop`, and at once what the store never keeps. */
  async record<T>(write: () => Promise<T>): Promise<T> {
    let waits = false;
    try {
      for (;;) {
        try {
          const value = await withTimeout(
            answerMs,
            write(),
            () => new Error(`the store did not answer in ${answerMs / 1_000} s`),
          );
          this.worksAgain();
          return value;
        } catch (error) {
          if (this.#stopped || isFinal(error)) throw error;
          if (!waits) this.#waiting += 1;
          waits = true;
          this.failed(asError(error));
          await new Promise((resolve) => setTimeout(resolve, againMs));
        }
      }
    } finally {
      if (waits) this.#waiting -= 1;
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Said once, however long it lasts and however many messages wait for it. */
  failed(error: Error): void {
    if (!this.#storeFails)
      this.#log.error({ err: error }, `The inbox cannot be kept, so messages wait: ${error.message}`);
    this.#storeFails = true;
  }

  worksAgain(): void {
    if (this.#storeFails) this.#log.info({}, "The inbox is kept again.");
    this.#storeFails = false;
  }
}

/** The store will never keep it. */
function isFinal(error: unknown): boolean {
  return error instanceof GantryError && ["STORE_REFUSED", "LEASE_LOST"].includes(error.code);
}
