import { errors } from "../contract/codes.ts";

/** The most that may wait for a reader, in characters of JSON. */
const maxUnread = 4 * 1024 * 1024;

/**
 * Hands events in order to one reader; a reader that falls megabytes behind gets `READER_TOO_SLOW`.
 */
export class EventQueue<T> {
  readonly #waiting: T[] = [];
  #unread = 0;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** Returns false once the reader has fallen too far behind, or it is over. */
  put(event: T): boolean {
    if (this.#isOver) return false;
    this.#waiting.push(event);
    this.#unread += JSON.stringify(event).length;
    if (this.#unread > maxUnread) this.end({ error: errors.READER_TOO_SLOW() });
    this.#wake?.();
    return !this.#isOver;
  }

  /** Ends the queue after the events that were put in; a failure is thrown there. */
  end(failure?: { readonly error: unknown }): void {
    this.#failure ??= failure;
    this.#isOver = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<T, void> {
    for (;;) {
      const events = this.#waiting.splice(0);
      this.#unread = 0;
      yield* events;
      if (this.#waiting.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
