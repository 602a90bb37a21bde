import { directMessage, type Store } from "@gantry/sdk";
import { createMemoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { FollowedClock } from "./followed-clock.ts";
import { Outcomes } from "./outcomes.ts";

const day = 86_400_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A machine whose clock is set by hand. */
function settable(store: Store) {
  const state = { time: Date.now(), step: 0 };
  const clock = new FollowedClock({
    store,
    outcomes: new Outcomes(quiet),
    log: quiet,
    clock: { now: () => state.time, stepped: () => state.step - (state.step = 0) },
  });
  const set = (ms: number): void => {
    state.time += ms;
    state.step += ms;
  };
  return { clock, set };
}

test.each([4 * day, -4 * day])(
  "INB-01: a clock that is set by %i ms in the middle of a turn makes its message neither older nor later due",
  async (step) => {
    const store = createMemoryStore();
    const { clock, set } = settable(store);
    const acceptedAt = clock.now();
    const message = directMessage({ channel: "chat", id: "1", from: "a", text: "hello" });
    await store.lanes.accept([message], { at: acceptedAt });
    const claim = await store.lanes.claim("me", 60_000, clock.now());
    clock.begin(claim!);

    set(step);
    // Whoever looks at the clock at the same time waits until the store has moved.
    await Promise.all([clock.follow(), clock.follow()]);
    expect(clock.acceptedAt(claim!)).toBe(acceptedAt + step);
    const at = clock.now() + 500;
    await store.lanes.retry(claim!, { at, reason: "the model is away" });
    await clock.follow();
    expect(await store.lanes.nextDue()).toBe(at);
    const again = await store.lanes.claim("me", 60_000, at);
    clock.begin(again!);
    expect(clock.acceptedAt(again!)).toBe(acceptedAt + step);
  },
);

test("INB-01: a time is written only once the store has moved, whoever noticed first that the clock was set", async () => {
  const { promise: moved, resolve: move } = Promise.withResolvers<void>();
  const { lanes, ...rest } = createMemoryStore();
  const shifts: number[] = [];
  const shift = async (ms: number): Promise<void> => {
    await moved;
    shifts.push(ms);
  };
  const { clock, set } = settable({ ...rest, lanes: { ...lanes, shift } });
  set(day);
  const first = clock.follow();
  let isSecondThere = false;
  const second = clock.follow().then(() => (isSecondThere = true));
  await new Promise(setImmediate);
  expect(isSecondThere).toBe(false);
  move();
  await Promise.all([first, second]);
  expect(shifts).toEqual([day]);
});
