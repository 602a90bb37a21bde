import type { Store } from "@gantry/sdk";

const space = "email.counted";
const hourMs = 3_600_000;

/** Limits the mails to one person, so that two programs cannot answer each other for long. */
export class Pace {
  readonly #perHour: number;
  readonly #store: () => Store;

  constructor(perHour: number, store: () => Store) {
    this.#perHour = perHour;
    this.#store = store;
  }

  /**
   * Returns the milliseconds to wait before this mail; undefined if it may go. Every mail counts
   * once, however often it is tried.
   */
  async waitMs(to: string, key: string): Promise<number | undefined> {
    const { values, limits } = this.#store();
    if (!(await values.add(space, key, true, { forMs: 24 * hourMs }))) return undefined;
    const hit = await limits.hit(`email.sent:${to}`, [{ ms: hourMs, max: this.#perHour }]);
    if (hit.ok) return undefined;
    await values.remove(space, key);
    return Math.max(1_000, hit.retryAfterMs);
  }
}
