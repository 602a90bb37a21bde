import type { CircuitBreakerPolicy } from "cockatiel";
import type { Logger, ProviderFailure, ModelRouter, Store } from "@gantry/sdk";
import { failure } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { isOutage } from "./failure.ts";
import type { Attempt } from "./retry.ts";

const FAILURES = 5;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 300_000;
const SPACE = "provider-cooling";

export type Cooling = ReturnType<ModelRouter["cooling"]>[number];

/** One breaker per provider: opens after repeated outages, then lets a single request try. Pauses are shared through the store. */
export interface Circuits {
  /** Runs the attempt, or answers ROUTER_COOLING at once. */
  guard(provider: string, attempt: () => Promise<Attempt>, signal: AbortSignal): Promise<Attempt>;
  /** What this process has seen. */
  cooling(): readonly Cooling[];
  /** What any process has seen. */
  shared(): Promise<readonly Cooling[]>;
}

export function createCircuits(
  store: Store | undefined,
  log: Logger,
  pauses = { first: FIRST_PAUSE_MS, longest: LONGEST_PAUSE_MS },
): Circuits {
  const breakers = new Map<string, Promise<CircuitBreakerPolicy>>();
  const open = new Map<string, Cooling>();

  const remembered = async <T>(work: (values: Store["values"]) => Promise<T>): Promise<T | undefined> => {
    try {
      return store && (await work(store.values));
    } catch (error) {
      log.warn({ err: error }, "The pauses of providers could not be shared with other processes.");
      return undefined;
    }
  };
  // What happened, without the cure: the circuit has one of its own.
  const opened = (provider: string, failed: ProviderFailure, pause: number): void => {
    const until = Date.now() + pause;
    const said = failed.message.replace(/: .*|[.!]$/s, "");
    const reason = failed.code === "PROVIDER_CANCELLED" ? (open.get(provider)?.reason ?? said) : said;
    const entry = { provider, until: new Date(until).toISOString(), reason };
    open.set(provider, entry);
    log.warn(
      { provider, code: failed.code, until: entry.until },
      `${provider} keeps failing and is left alone until ${entry.until}.`,
    );
    void remembered((values) => values.put(SPACE, provider, entry, until));
  };
  const closed = (provider: string): void => {
    open.delete(provider);
    log.info({ provider }, `${provider} answers again.`);
    void remembered((values) => values.remove(SPACE, provider));
  };
  const breakerOf = (provider: string): Promise<CircuitBreakerPolicy> => {
    const known = breakers.get(provider) ?? createBreaker(provider, pauses, opened, closed);
    breakers.set(provider, known);
    return known;
  };

  return {
    async guard(provider, attempt, signal) {
      const elsewhere = open.has(provider)
        ? undefined
        : await remembered((values) => values.get<Cooling>(SPACE, provider));
      if (elsewhere && Date.parse(elsewhere.until) > Date.now()) return refused(elsewhere);
      // A provider that never failed needs no breaker, and its turn no time for one.
      const first = breakers.has(provider) ? undefined : await attempt();
      if (first && !isTrouble(first)) return first;
      const breaker = await breakerOf(provider);
      try {
        return await breaker.execute(() => first ?? attempt(), signal);
      } catch (error) {
        const entry = open.get(provider);
        if (first) return first;
        if (entry && (error as { isBrokenCircuitError?: boolean }).isBrokenCircuitError)
          return refused(entry);
        throw error;
      }
    },
    cooling: () => [...open.values()].filter(ahead),
    async shared() {
      const all = (await remembered((values) => values.list<Cooling>(SPACE))) ?? [];
      return all.length > 0 ? all.map(({ value }) => value).filter(ahead) : this.cooling();
    },
  };
}

async function createBreaker(
  provider: string,
  pauses: { readonly first: number; readonly longest: number },
  opened: (provider: string, failed: ProviderFailure, pause: number) => void,
  closed: (provider: string) => void,
): Promise<CircuitBreakerPolicy> {
  const { circuitBreaker, CircuitState, ConsecutiveBreaker, DelegateBackoff, handleWhenResult } =
    await import("cockatiel");
  const breaker: CircuitBreakerPolicy = circuitBreaker(
    handleWhenResult((result) => {
      const attempt = result as Attempt;
      // A trial that was cancelled has shown nothing: the pause goes on.
      const cancelled = !attempt.ok && attempt.failure.code === "PROVIDER_CANCELLED";
      return cancelled ? breaker.state === CircuitState.HalfOpen : isTrouble(attempt);
    }),
    {
      breaker: new ConsecutiveBreaker(FAILURES),
      halfOpenAfter: new DelegateBackoff(({ attempt, result }) => {
        const failed = (result as { value: Extract<Attempt, { ok: false }> }).value.failure;
        const pause = Math.min(
          Math.max(pauses.first * 2 ** (attempt - 1), failed.retryAfterMs ?? 0),
          pauses.longest,
        );
        opened(provider, failed, pause);
        return pause;
      }),
    },
  );
  breaker.onReset(() => closed(provider));
  return breaker;
}

function isTrouble(attempt: Attempt): boolean {
  return !attempt.ok && attempt.failure.retry && isOutage(attempt.failure.status);
}

function ahead({ until }: Cooling): boolean {
  return Date.parse(until) > Date.now();
}

function refused({ provider, until, reason }: Cooling): Attempt {
  return { ok: false, failure: failure(errors.ROUTER_COOLING(provider, until, reason), false) };
}
