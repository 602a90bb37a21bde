import type { Claim } from "@gantry/sdk";

/** When each claim came here, by `performance.now()`: the store told its times as they were then. */
const claimed = new WeakMap<Claim, number>();

/** Call it as soon as a claim has come. */
export function begin(claim: Claim): void {
  claimed.set(claim, performance.now());
}

function sinceClaim(claim: Claim): number {
  return performance.now() - (claimed.get(claim) ?? performance.now());
}

/** Milliseconds since the message was accepted, by the store's clock. */
export function ageMs(claim: Claim): number {
  return claim.ageMs + sinceClaim(claim);
}

/** Milliseconds since it was last tried in vain; undefined if it never was. */
export function msSinceTry(claim: Claim): number | undefined {
  return claim.triedMsAgo === undefined ? undefined : claim.triedMsAgo + sinceClaim(claim);
}
