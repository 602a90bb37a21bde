const minuteMs = 60_000;

/** So many in a minute; what is beyond is only counted. */
export class Quota {
  readonly #max: number;
  #until = 0;
  #taken = 0;
  #beyond = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many were beyond since the last one that was not; undefined where this one is beyond, too. */
  take(): number | undefined {
    if (this.#until <= Date.now()) {
      this.#until = Date.now() + minuteMs;
      this.#taken = 0;
    }
    if (this.#taken >= this.#max) {
      this.#beyond += 1;
      return undefined;
    }
    this.#taken += 1;
    const beyond = this.#beyond;
    this.#beyond = 0;
    return beyond;
  }
}
