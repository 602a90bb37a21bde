import type { ProviderFailure } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** No retry waits longer than this; who asks for more is left for a fallback. */
export const LONGEST_WAIT_MS = 60_000;

const HERE_AGAIN = new Set([408, 425, 429]);
const ELSEWHERE = "PROVIDER_NO_KEY";
/** A shortage of this machine, which is not the provider's fault. */
const OURS = "NO_DESCRIPTORS";

/** The same provider may do better in a moment. */
export function passes(failed: ProviderFailure): boolean {
  const { status, retry, retryAfterMs = 0 } = failed;
  return retry && !isCooling(failed) && retryAfterMs <= LONGEST_WAIT_MS && isOutage(status);
}

/** The provider itself is in trouble, not its key or the question; this is what opens a circuit. */
export function isTrouble({ code, retry, status }: ProviderFailure): boolean {
  return retry && code !== OURS && isOutage(status);
}

/** The provider was not asked. */
export function isCooling({ code }: ProviderFailure): boolean {
  return code === errors.ROUTER_COOLING.code;
}

/** Another provider may serve what this one does not. */
export function worthElsewhere({ code, retry }: ProviderFailure): boolean {
  return retry || code === ELSEWHERE;
}

function isOutage(status: number | undefined): boolean {
  return status === undefined || status >= 500 || HERE_AGAIN.has(status);
}
