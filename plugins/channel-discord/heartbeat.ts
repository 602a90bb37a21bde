/** However long the platform asks for, a dead connection is to be noticed in about a minute. */
const longestMs = 60_000;

export interface HeartbeatNeeds {
  /** Milliseconds between two beats, as the platform asks. */
  readonly everyMs: number;
  send(): void;
  /** The last beat was not answered until the next one was due. */
  dead(): void;
}

/**
 * Tells the platform that the connection lives; the first beat comes after a random part of the
 * time, as the platform asks.
 */
export class Heartbeat {
  readonly #needs: HeartbeatNeeds;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout>;
  #isAnswered = true;

  constructor(needs: HeartbeatNeeds, random: () => number = Math.random) {
    this.#needs = needs;
    const { everyMs } = needs;
    this.#everyMs = everyMs > 0 && everyMs < longestMs ? everyMs : longestMs;
    this.#timer = setTimeout(() => this.#beat(), this.#everyMs * random());
  }

  answered(): void {
    this.#isAnswered = true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #beat(): void {
    if (!this.#isAnswered) return this.#needs.dead();
    this.#isAnswered = false;
    this.#needs.send();
    this.#timer = setTimeout(() => this.#beat(), this.#everyMs);
  }
}
