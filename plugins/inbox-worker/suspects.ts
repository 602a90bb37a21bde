import type { Claim, ClaimBounds } from "@gantry/sdk/fill";

/** A message that was in hand when so many processes ended is a suspect. */
const sharedEnds = 3;
/** A message that was in hand when so many processes ended is dead-lettered. */
export const mostEnds = 8;
/** Milliseconds that a process lives before it begins a suspect. */
const quietMs = 30_000;
/** Milliseconds before another suspect is begun beside one that runs. */
const aloneMs = 10_000;

export const endedOver = `the service ended ${mostEnds} times while it was worked on`;

/** Returns true if a message that was begun so often without a result is a suspect. */
export function isHeldBack(begun: number): boolean {
  return begun >= sharedEnds;
}

/**
 * Holds back the messages that may bring the process down. A process begins suspects one at a time,
 * once it has lived for a while without them, so that its end tells which of them it was.
 */
export class Suspects {
  /** By `performance.now()`. */
  #nextAt = performance.now() + quietMs;

  /** Bounds of a claim that takes no suspect. */
  readonly others: ClaimBounds = { begunBelow: sharedEnds };

  /** Bounds of what may be begun now. */
  get bounds(): ClaimBounds {
    return performance.now() < this.#nextAt ? this.others : {};
  }

  /** Returns how many processes ended over a claimed message if it is a suspect, else 0. */
  begin({ begun }: Claim): number {
    if (!isHeldBack(begun - 1)) return 0;
    this.#nextAt = performance.now() + aloneMs;
    return begun - 1;
  }

  end({ begun }: Claim): void {
    if (isHeldBack(begun - 1)) this.#nextAt = performance.now();
  }
}
