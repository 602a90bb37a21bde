import { errors, type ProviderFailure } from "@gantry/sdk";

const unconfigured = new Set([errors.NO_PROVIDER.code, errors.PROVIDER_UNKNOWN.code]);

/**
 * The HTTP answer to a turn that failed and can be asked for again later, or once it is configured;
 * undefined for any other.
 */
export function waitingStatus(
  error: ProviderFailure,
): { readonly status: 429 | 503; readonly headers: Readonly<Record<string, string>> } | undefined {
  const { code, status, retry, retryAfterMs } = error;
  const configuration = error.configuration || unconfigured.has(code);
  if (status === 429 || (retryAfterMs !== undefined && !retry)) return { status: 429, headers: after(error) };
  return retryAfterMs !== undefined || configuration ? { status: 503, headers: after(error) } : undefined;
}

function after({ retryAfterMs }: ProviderFailure): Record<string, string> {
  return retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
}
