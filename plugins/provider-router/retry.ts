import type { Logger, ProviderEvent, ProviderFailure } from "@gantry/sdk";
import { type ProviderSettings, failure } from "@gantry/sdk/provider";
import { errors as common } from "@gantry/sdk";
import { isCooling, passes } from "./failure.ts";

const LONGEST_BACKOFF_MS = 30_000;

/**
 * A try that got as far as its first visible event or its end, or failed before anything was shown.
 */
export type Attempt =
  | { readonly ok: true; readonly events: AsyncIterable<ProviderEvent> }
  | { readonly ok: false; readonly failure: ProviderFailure };

/** Reads up to what a person would see; until then, another try is nobody's loss. */
export async function begin(stream: AsyncGenerator<ProviderEvent, void>): Promise<Attempt> {
  const held: ProviderEvent[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) break;
    if (next.value.type === "error") {
      await stream.return();
      return { ok: false, failure: next.value.failure };
    }
    if (next.value.type === "text" && next.value.text === "") continue;
    held.push(next.value);
    if (next.value.type !== "usage" && next.value.type !== "thought") break;
  }
  return { ok: true, events: after(held, stream) };
}

async function* after(
  held: readonly ProviderEvent[],
  rest: AsyncGenerator<ProviderEvent, void>,
): AsyncGenerator<ProviderEvent, void> {
  try {
    yield* held;
    for await (const event of rest) if (event.type !== "text" || event.text !== "") yield event;
  } finally {
    await rest.return();
  }
}

export interface RetryContext {
  readonly provider: string;
  readonly settings: ProviderSettings;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Tries again while that can help; waits longer each time, with jitter, and at least as long as the
 * server asked for.
 */
export async function withRetries(context: RetryContext, attempt: () => Promise<Attempt>): Promise<Attempt> {
  const { provider, settings, signal, log } = context;
  let last = await attempt();
  for (let retry = 0; retry < settings.max_retries; retry += 1) {
    if (last.ok || !passes(last.failure)) return last;

    const delay = Math.max(backoff(settings.retry_backoff_ms, retry), last.failure.retryAfterMs ?? 0);
    log.warn(
      { provider, code: last.failure.code, attempt: retry + 1, delay },
      `${provider} failed; it is asked again in ${delay} ms.`,
    );
    await pause(delay, signal);
    if (signal.aborted) return { ok: false, failure: failure(common.PROVIDER_CANCELLED(provider), false) };

    const next = await attempt();
    // If these attempts opened the circuit, report the original failure, not that it is left alone.
    if (!next.ok && isCooling(next.failure)) return last;
    last = next;
  }
  return last;
}

/**
 * Doubles each time; the upper half is chance, so that many who failed together do not come back
 * together.
 */
function backoff(firstMs: number, retry: number): number {
  const longest = Math.max(firstMs, LONGEST_BACKOFF_MS);
  const full = Math.min(firstMs * 2 ** retry, longest);
  return Math.round(full / 2 + (Math.random() * full) / 2);
}

/** Ends at once when `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
