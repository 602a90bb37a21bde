import type { Claim, ClaimBounds } from "@gantry/sdk";

/** So often a process may end while a message is worked on, among others, before anybody looks at this message. */
const sharedEnds = 3;
/** How long a process must have lived without a suspect before it tries that, by how often it was tried alone before. */
const quietMs = [5_000, 10_000, 20_000, 30_000, 30_000];
/** What runs may go on for so long before a suspect is tried beside it; it did no harm until then. */
const drainMs = 5_000;
/** So long nothing else is begun beside a suspect. */
const aloneMs = 10_000;

/** True where processes ended over it so often that it is tried alone, once a process has lived for a while. */
export function isHeldBack(begun: number): boolean {
  return begun >= sharedEnds;
}

/** Messages that are claimed with one call to the store. */
const atOnce = 64;

/** A message is put aside once a process ended over it so often, which were all its tries alone. */
export const mostEnds: number = sharedEnds + quietMs.length;
export const endedOver = `the service ended ${mostEnds} times while it was worked on`;

/**
 * Which message brings the process down, if one does. When a process ends, all that it worked on are under suspicion alike,
 * and none need be at fault: so a suspect is held back until a process has lived without it for a while, and is then begun
 * while nothing else is begun. Only ends under these conditions count against it.
 */
export class Suspects {
  readonly #since = performance.now();
  /** Since when a suspect that is due waits for what runs. */
  #waitsSince: number | undefined;
  #tried: { readonly claim: Claim; readonly since: number } | undefined;

  /** What may be claimed at any time. */
  readonly usual: ClaimBounds = { begunBelow: sharedEnds };

  /** What a process may claim that has lived as long as this one. */
  get bounds(): ClaimBounds {
    const lived = performance.now() - this.#since;
    const tries = quietMs.findIndex((ms) => lived < ms);
    return tries === -1 ? {} : { begunBelow: sharedEnds + tries };
  }

  /** What is to be claimed next. */
  get next(): ClaimBounds {
    return this.#waitsSince === undefined ? this.usual : this.bounds;
  }

  /** How much of it may be claimed with one call: a suspect comes alone. */
  get atOnce(): number {
    return this.#waitsSince === undefined ? atOnce : 1;
  }

  /** For how many ms nothing may be begun beside the `running` ones. */
  pauseMs(running: number): number {
    if (running === 0) return 0;
    const until = Math.max(
      (this.#waitsSince ?? -Infinity) + drainMs,
      (this.#tried?.since ?? -Infinity) + aloneMs,
    );
    return Math.max(0, until - performance.now());
  }

  /** A suspect is due: what runs may end first, and nothing is begun meanwhile. */
  makeRoom(): void {
    this.#waitsSince = performance.now();
  }

  /** No suspect waits any more. */
  leave(): void {
    this.#waitsSince = undefined;
  }

  /** Call it for all that is claimed. Returns how many processes ended over it if it is a suspect, else 0. */
  begin(claim: Claim): number {
    this.leave();
    const ends = claim.begun - 1;
    if (ends < sharedEnds) return 0;
    this.#tried = { claim, since: performance.now() };
    return ends;
  }

  end(claim: Claim): void {
    if (this.#tried?.claim === claim) this.#tried = undefined;
  }
}
