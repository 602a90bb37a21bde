import type { ProviderFailure } from "@gantry/sdk";

/**
 * The meaning of a failed turn for its message. `away`: the model is left alone until a time.
 * `account`: the owner has to change something first. `later`: the service refuses until a time.
 * `refused`: a person refused. `request`: the model will never take this message. `passing`:
 * another try can help. `own`: the service's own trouble; a few tries tell whether it passes.
 */
export type FailureKind = "away" | "account" | "later" | "refused" | "request" | "passing" | "own";

/** Nothing is configured, or not rightly: as much a matter of the owner's as a refused account. */
const accountCodes = new Set(["NO_PROVIDER", "PROVIDER_UNKNOWN", "PROVIDER_NO_KEY", "PROVIDER_URL"]);
const accountStatus = new Set([401, 402, 403, 404]);

export function kindOf({ code, status, retry, retryAfterMs, configuration }: ProviderFailure): FailureKind {
  if (configuration || accountCodes.has(code) || (status !== undefined && accountStatus.has(status)))
    return "account";
  if (retry) return retryAfterMs === undefined ? "passing" : "away";
  if (code === "APPROVAL_DENIED") return "refused";
  if (status === undefined && retryAfterMs !== undefined) return "later";
  return status !== undefined && status >= 400 && status < 500 ? "request" : "own";
}
