const dayMs = 86_400_000;
/** A service that was off for longer, and a clock that was set ahead, look the same. */
const gapMs = 7 * dayMs;

/** The place of {@link judgeClock}'s value, so that all that deletes by age waits together. */
export const clockHold = { space: "retention", key: "clock" } as const;

/** When retention looked last, and since when it waits; both Unix ms. */
export interface ClockHold {
  readonly at: number;
  readonly heldSince?: number;
}

/**
 * Returns what is to be kept of a look at `now`. With `heldSince` nothing may be deleted by its
 * age: the clock is more than seven days ahead of the look before, and less than a day has passed
 * since.
 */
export function judgeClock({ at, heldSince }: ClockHold, now: number): ClockHold {
  if (now - at > gapMs) return { at: now, heldSince: now };
  const isHeld = heldSince !== undefined && now >= heldSince && now - heldSince < dayMs;
  return isHeld ? { at: now, heldSince } : { at: now };
}
