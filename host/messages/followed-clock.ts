import type { Claim, Logger, Store } from "@gantry/sdk";
import type { Clock } from "./clock.ts";
import type { Outcomes } from "./outcomes.ts";

export interface FollowedClockDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly outcomes: Outcomes;
  readonly log: Logger;
}

/** A clock that was set ends no lease and lets nobody wait longer: what is in the store moves with it. */
export class FollowedClock {
  readonly #deps: FollowedClockDeps;
  /** How many ms the clock's steps had moved the store's times by when each claim was begun. */
  readonly #before = new WeakMap<Claim, number>();
  #moved = 0;
  #following: Promise<void> = Promise.resolve();

  constructor(deps: FollowedClockDeps) {
    this.#deps = deps;
  }

  now(): number {
    return this.#deps.clock.now();
  }

  /** Ms that go on evenly, whatever the clock is set to; of use for differences. */
  passed(): number {
    return this.now() - this.#moved;
  }

  /** A message is taken up now: its times move with the clock from here on. */
  begin(claim: Claim): void {
    this.#before.set(claim, this.#moved);
  }

  /** When the message came, by the clock as it is now. */
  acceptedAt(claim: Claim): number {
    return claim.acceptedAt + this.#moved - (this.#before.get(claim) ?? this.#moved);
  }

  /** Call it before a time is written: resolves once what is in the store goes by the present one. */
  follow(): Promise<void> {
    this.#following = this.#following.catch(() => {}).then(() => this.#follow());
    return this.#following;
  }

  async #follow(): Promise<void> {
    const { clock, log, outcomes, store } = this.#deps;
    const step = clock.stepped();
    if (step === 0) return;
    this.#moved += step;
    log.warn({ ms: step }, "The machine's clock was set; what waits goes by the new time.");
    await outcomes.record(() => store.lanes.shift(step));
  }
}
