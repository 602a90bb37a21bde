import { errors } from "@gantry/sdk";

/** Work by key: one at a time, in order of arrival; different keys beside each other. */
export class Queue {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Rejects with TURN_CANCELLED where `signal` comes before its turn does. */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(() => {
      if (signal.aborted) throw errors.TURN_CANCELLED();
      return work();
    });
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
