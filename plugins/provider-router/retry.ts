import type { IBackoff, IRetryBackoffContext } from "cockatiel";
import type { Logger, ProviderEvent, ProviderFailure, ProviderSettings } from "@gantry/sdk";
import { errors as common, failure } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { passes } from "./failure.ts";

const LONGEST_BACKOFF_MS = 30_000;
const AWAKE_MS = 60_000;

/** A try that got as far as its first visible event or its end, or failed before anything was shown. */
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
    if (next.value.type !== "usage") break;
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

/** Tries again while that can help; waits longer each time, with jitter, and at least as long as the server asked for. */
export async function withRetries(context: RetryContext, attempt: () => Promise<Attempt>): Promise<Attempt> {
  const first = await attempt();
  if (first.ok || !passes(first.failure) || context.settings.max_retries === 0) return first;
  let known: Attempt | undefined = first;
  let last: Attempt = first;
  const again = async (): Promise<Attempt> => {
    const result = known ?? (await attempt());
    known = undefined;
    if (!isCooling(result)) last = result;
    return result;
  };
  const { DelegateBackoff, ExponentialBackoff, halfJitterGenerator, handleWhenResult, retry } =
    await import("cockatiel");
  const { provider, settings, signal, log } = context;
  const growing = new ExponentialBackoff({
    generator: halfJitterGenerator,
    initialDelay: settings.retry_backoff_ms,
    maxDelay: Math.max(settings.retry_backoff_ms, LONGEST_BACKOFF_MS),
  });
  const policy = retry(
    handleWhenResult((result) => !(result as Attempt).ok && passes(failureOf(result as Attempt))),
    {
      maxAttempts: settings.max_retries,
      backoff: new DelegateBackoff<IRetryBackoffContext<unknown>, IBackoff<unknown>>((step, state) => {
        const next = (state ?? growing).next(step);
        const last = "value" in step.result ? failureOf(step.result.value as Attempt) : undefined;
        const delay = Math.max(next.duration, last?.retryAfterMs ?? 0);
        log.warn(
          { provider, code: last?.code, attempt: step.attempt, delay },
          `${provider} failed; it is asked again in ${delay} ms.`,
        );
        return { delay, state: next };
      }),
    },
  ).dangerouslyUnref();
  // The policy's own wait does not end with the signal: it is left behind, and this timer keeps the process up in its place.
  const awake = setInterval(() => undefined, AWAKE_MS);
  const cancelled: Attempt = { ok: false, failure: failure(common.PROVIDER_CANCELLED(provider), false) };
  const left = new AbortController();
  try {
    const end = await Promise.race([
      policy.execute(() => (signal.aborted ? cancelled : again()), signal),
      new Promise<Attempt>((resolve) => {
        if (signal.aborted) resolve(cancelled);
        else signal.addEventListener("abort", () => resolve(cancelled), { once: true, signal: left.signal });
      }),
    ]);
    // Where these very tries opened the circuit, the person is told what failed, not that it is left alone.
    return isCooling(end) ? last : end;
  } finally {
    clearInterval(awake);
    left.abort();
  }
}

function isCooling(attempt: Attempt): boolean {
  return failureOf(attempt).code === errors.ROUTER_COOLING.code;
}

function failureOf(attempt: Attempt): ProviderFailure {
  return attempt.ok ? { code: "", message: "", retry: false } : attempt.failure;
}
