const minuteMs = 60_000;
const maxRecords = 60;

interface Counted {
  until: number;
  taken: number;
  beyond: number;
}

/** Bounds per type and minute on records, so that strangers cannot fill the disk by refusals. */
export class StrangersRecords {
  readonly #counted = new Map<string, Counted>();

  /** Returns how many of the type were left out since one was written; undefined if this is too. */
  take(type: string): number | undefined {
    const now = Date.now();
    const counted = this.#counted.get(type) ?? { until: 0, taken: 0, beyond: 0 };
    this.#counted.set(type, counted);
    // A clock that went back ends the minute, too.
    if (counted.until <= now || counted.until > now + minuteMs) {
      counted.until = now + minuteMs;
      counted.taken = 0;
    }
    if (counted.taken >= maxRecords) {
      counted.beyond += 1;
      return undefined;
    }
    counted.taken += 1;
    const { beyond } = counted;
    counted.beyond = 0;
    return beyond;
  }
}
