import type { FakeClock } from "../testing/index.ts";

/** Lets time pass in steps, so that what one timer wakes can set the next. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  const step = Math.min(ms, Math.max(100, ms / 500));
  for (let passed = 0; passed < ms; passed += step) await clock.advance(step);
}
