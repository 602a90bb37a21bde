/**
 * So many wait at most; a connection that brings more is given up, and the platform keeps the rest.
 */
const maxWaiting = 1_000;

/** An event of the gateway that takes work. */
export interface GatewayEvent {
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
}

/** Events in order, worked on one batch after the other while more come in. */
export class EventQueue {
  readonly #waiting: GatewayEvent[] = [];
  #received: number;
  #done: number;
  #isWorking = false;
  #wake: (() => void) | undefined;

  constructor(seq: number) {
    this.#received = seq;
    this.#done = seq;
  }

  /** Everything up to here is done with. */
  get done(): number {
    return this.#waiting.length === 0 && !this.#isWorking ? this.#received : this.#done;
  }

  /** An event came that takes no work. */
  pass(seq: number): void {
    this.#received = Math.max(this.#received, seq);
  }

  push(event: GatewayEvent): void {
    if (this.#waiting.length >= maxWaiting)
      throw new Error(`${maxWaiting} messages wait to be taken in, so the platform is left to keep the rest`);
    if (this.#waiting.length === 0 && !this.#isWorking) this.#done = this.#received;
    this.pass(event.seq);
    this.#waiting.push(event);
    this.#wake?.();
  }

  /**
   * Until `signal` is aborted; throws what `take` throws, and the batch then counts as not done.
   */
  async work(take: (events: readonly GatewayEvent[]) => Promise<void>, signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener("abort", wake);
    try {
      while (!signal.aborted) {
        const batch = this.#waiting.splice(0);
        if (batch.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
        else {
          this.#isWorking = true;
          await take(batch);
          this.#done = (batch.at(-1) as GatewayEvent).seq;
          this.#isWorking = false;
        }
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }
}
