/** The machine's clock, and whether somebody set it. */
export interface Clock {
  /** Unix ms. */
  now(): number;
  /** By how many ms the clock was set since this was last asked; 0 if it only went on. */
  stepped(): number;
}

/** What the clock may differ from the time that passed before it counts as set. */
const toleranceMs = 2_000;

/** A machine that slept shows as a clock that was set forward, and may be treated alike: nothing went on meanwhile. */
export function systemClock(): Clock {
  let known = offset();
  return {
    now: () => Date.now(),
    stepped() {
      const step = offset() - known;
      if (Math.abs(step) < toleranceMs) return 0;
      known += step;
      return Math.round(step);
    },
  };
}

function offset(): number {
  return Date.now() - performance.now();
}
