/** A question brings one or two, which go once it is answered. */
const MOST_SIGNALS = 10_000;

/** The signals that the other side has handed over, by their numbers. */
export class TakenSignals {
  readonly #taken = new Map<number, AbortController>();

  /** Returns a signal. Throws a RangeError if the other side never forgets its signals. */
  take(id: number): AbortSignal {
    if (!Number.isSafeInteger(id)) throw new TypeError("no signal");
    const known = this.#taken.get(id);
    if (known) return known.signal;
    if (this.#taken.size >= MOST_SIGNALS) throw new RangeError("too many signals are held");
    const controller = new AbortController();
    this.#taken.set(id, controller);
    return controller.signal;
  }

  abort(id: number, reason: Error): void {
    this.#taken.get(id)?.abort(reason);
  }

  forget(ids: readonly number[]): void {
    for (const id of ids) this.#taken.delete(id);
  }

  abortAll(reason: Error): void {
    for (const controller of this.#taken.values()) controller.abort(reason);
  }
}
