import { mock } from "node:test";

export interface FakeClock extends Disposable {
  /** Unix ms. */
  now(): number;
  /**
   * Lets this many ms pass at once: what falls due runs, in order, and what it started may go on.
   */
  advance(ms: number): Promise<void>;
}

/**
 * A clock that stands still: Date, setTimeout and setInterval follow it until it is disposed
 * (`using clock = fakeClock()`). One at a time.
 */
export function fakeClock(start: number = Date.UTC(2030, 0, 1)): FakeClock {
  const { setImmediate: soon } = globalThis;
  mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now: start });
  return {
    now: () => Date.now(),
    async advance(ms) {
      mock.timers.tick(ms);
      await new Promise<void>((resolve) => soon(resolve));
    },
    [Symbol.dispose]: () => mock.timers.reset(),
  };
}
