import { listAll, type Logger, type ModelRouter, type ProviderFailure, type Store } from "@gantry/sdk";
import { failure } from "@gantry/sdk/provider";
import { errors } from "./errors.ts";
import { isTrouble } from "./failure.ts";
import type { Attempt } from "./retry.ts";

const FAILURES = 5;
/** A provider's return is noticed within the longest pause. */
const PAUSES = { first: 5_000, longest: 20_000 };
/** What a server asks for in Retry-After is believed up to here. */
const LONGEST_ASKED_MS = 3_600_000;
/** While one request tries, the others may come again after this time. */
const TRIAL_MS = 1_000;
/** One that heard nothing for so long lets another try beside it. */
const SILENT_MS = 10_000;
const SPACE = "provider-cooling";

export type Cooling = ReturnType<ModelRouter["cooling"]>[number];

/** A pause, and how long it was from the start: more than that left means that the clock was set back. */
interface Pause extends Cooling {
  readonly pauseMs?: number;
}

interface Circuit {
  /** In a row. */
  failures: number;
  /** In a row. */
  pauses: number;
  pause?: Pause | undefined;
  /** When the last request began to try, by `performance.now()`. */
  triedAt?: number | undefined;
}

/** One circuit per provider: opens after repeated outages, then lets a single request try. Pauses are shared through the store. */
export class Circuits {
  readonly #store: Store | undefined;
  readonly #log: Logger;
  readonly #pauses: typeof PAUSES;
  readonly #circuits = new Map<string, Circuit>();

  constructor(store: Store | undefined, log: Logger, pauses: typeof PAUSES = PAUSES) {
    this.#store = store;
    this.#log = log;
    this.#pauses = pauses;
  }

  /** Runs the attempt, or answers ROUTER_COOLING at once, with the time to come again. */
  async guard(provider: string, attempt: () => Promise<Attempt>): Promise<Attempt> {
    const circuit = this.#of(provider);
    const pause = circuit.pause ?? (await this.#shared((values) => values.get<Pause>(SPACE, provider)));
    if (pause && isAhead(pause)) return refused(pause, leftOf(pause));
    const isTried = performance.now() - (circuit.triedAt ?? -Infinity) < SILENT_MS;
    if (circuit.pause && isTried) return refused(circuit.pause, TRIAL_MS);

    const isTrial = circuit.pause !== undefined;
    const triedAt = performance.now();
    if (isTrial) circuit.triedAt = triedAt;
    try {
      const result = await attempt();
      this.#judge(provider, circuit, result, isTrial);
      return result;
    } finally {
      if (circuit.triedAt === triedAt) circuit.triedAt = undefined;
    }
  }

  /** What this process has seen. */
  cooling(): readonly Cooling[] {
    return [...this.#circuits.values()].flatMap(({ pause }) =>
      pause && isAhead(pause) ? [shown(pause)] : [],
    );
  }

  /** What any process has seen. */
  async shared(): Promise<readonly Cooling[]> {
    const all = (await this.#shared((values) => listAll<Pause>(values, SPACE))) ?? [];
    if (all.length === 0) return this.cooling();
    return all
      .map(({ value }) => value)
      .filter(isAhead)
      .map(shown);
  }

  #judge(provider: string, circuit: Circuit, result: Attempt, isTrial: boolean): void {
    // What was cancelled has shown nothing: whoever comes next tries.
    if (!result.ok && result.failure.code === "PROVIDER_CANCELLED") return;
    if (result.ok || !isTrouble(result.failure)) return this.#close(provider, circuit);
    circuit.failures += 1;
    if (isTrial || (!circuit.pause && circuit.failures >= FAILURES))
      this.#open(provider, circuit, result.failure);
  }

  #open(provider: string, circuit: Circuit, failed: ProviderFailure): void {
    const { first, longest } = this.#pauses;
    const growing = Math.min(first * 2 ** circuit.pauses, longest);
    const pauseMs = Math.max(growing, Math.min(failed.retryAfterMs ?? 0, LONGEST_ASKED_MS));
    const until = Date.now() + pauseMs;
    // What happened, without the cure: the circuit has one of its own.
    const reason = failed.message.replace(/: .*|[.!]$/s, "");
    const isNews = circuit.pause === undefined;

    const pause: Pause = { provider, until: new Date(until).toISOString(), reason, pauseMs };
    circuit.pauses += 1;
    circuit.pause = pause;
    const line = `${provider} keeps failing and is left alone until ${pause.until}.`;
    this.#log[isNews ? "warn" : "debug"]({ provider, code: failed.code, until: pause.until }, line);
    void this.#shared((values) => values.put(SPACE, provider, pause, { forMs: pauseMs }));
  }

  #close(provider: string, circuit: Circuit): void {
    circuit.failures = 0;
    if (!circuit.pause) return;
    circuit.pause = undefined;
    circuit.pauses = 0;
    this.#log.info({ provider }, `${provider} answers again.`);
    void this.#shared((values) => values.remove(SPACE, provider));
  }

  #of(provider: string): Circuit {
    const known = this.#circuits.get(provider) ?? { failures: 0, pauses: 0 };
    this.#circuits.set(provider, known);
    return known;
  }

  async #shared<T>(work: (values: Store["values"]) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#store && (await work(this.#store.values));
    } catch (error) {
      this.#log.warn({ err: error }, "The pauses of providers could not be shared with other processes.");
      return undefined;
    }
  }
}

function leftOf({ until }: Cooling): number {
  return Date.parse(until) - Date.now();
}

function isAhead(pause: Pause): boolean {
  const left = leftOf(pause);
  return left > 0 && left <= (pause.pauseMs ?? LONGEST_ASKED_MS);
}

function shown({ provider, until, reason }: Pause): Cooling {
  return { provider, until, reason };
}

function refused({ provider, until, reason }: Pause, retryAfterMs: number): Attempt {
  return {
    ok: false,
    failure: failure(errors.ROUTER_COOLING(provider, until, reason), true, { retryAfterMs }),
  };
}
