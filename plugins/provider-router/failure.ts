import type { ProviderFailure } from "@gantry/sdk";

/** No retry waits longer than this; who asks for more is left for a fallback. */
export const LONGEST_WAIT_MS = 60_000;

const HERE_AGAIN = new Set([408, 425, 429]);
const ELSEWHERE = new Set(["PROVIDER_NO_KEY", "ROUTER_COOLING"]);

/** The same provider may do better in a moment. */
export function passes({ status, retry, retryAfterMs = 0 }: ProviderFailure): boolean {
  return retry && retryAfterMs <= LONGEST_WAIT_MS && isOutage(status);
}

/** The provider itself is in trouble, not its key or the question; this is what opens a circuit. */
export function isOutage(status: number | undefined): boolean {
  return status === undefined || status >= 500 || HERE_AGAIN.has(status);
}

/** Another provider may serve what this one does not. */
export function worthElsewhere({ code, retry }: ProviderFailure): boolean {
  return retry || ELSEWHERE.has(code);
}
