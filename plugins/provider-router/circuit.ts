import { listAll, type Logger, type Store } from "@gantry/sdk";
import type { ModelRouter } from "@gantry/sdk/fill";
import { Circuit, longestAskedMs, type CircuitLimits, type Try } from "../shared/circuit.ts";
import { failure } from "@gantry/sdk/provider";
import { errors } from "./errors.ts";
import { isTrouble } from "./failure.ts";
import type { Attempt } from "./retry.ts";

/** A provider's return is noticed within the longest pause. */
const LIMITS: CircuitLimits = { failures: 5, firstMs: 5_000, longestMs: 20_000 };
const SPACE = "provider-cooling";
/**
 * Nobody has asked for so long: the service takes requests again, which find out whether it works.
 */
const unaskedMs = 60_000;

export type Cooling = ReturnType<ModelRouter["cooling"]>[number];

/**
 * A pause, and how long it was from the start: more than that left means that the clock was set
 * back.
 */
interface Pause extends Cooling {
  readonly pauseMs?: number;
}

/** A request that waits for the first piece of its answer; times by `performance.now()`. */
interface Asked {
  readonly at: number;
  /** Milliseconds without a piece after which it counts as hanging. */
  readonly patienceMs: number;
}

interface Guarded {
  readonly circuit: Circuit;
  readonly asked: Set<Asked>;
  /** The last pause, while the circuit is open. */
  pause?: Pause | undefined;
  /** Why it is in trouble, until it has answered. */
  trouble?: string | undefined;
  /** When it last failed, by `performance.now()`. */
  failedAt?: number;
}

/** A provider that has failed, or hangs, and has not answered since. */
export interface Trouble {
  readonly provider: string;
  readonly reason: string;
  /** True while it is left alone, and for a minute after that. */
  readonly isOut: boolean;
}

/** One circuit for each provider. Its pauses are shared with other processes through the store. */
export class Circuits {
  readonly #store: Store | undefined;
  readonly #log: Logger;
  readonly #limits: CircuitLimits;
  readonly #circuits = new Map<string, Guarded>();
  #hasWorked = false;

  constructor(store: Store | undefined, log: Logger, limits: CircuitLimits = LIMITS) {
    this.#store = store;
    this.#log = log;
    this.#limits = limits;
  }

  /**
   * Runs the attempt, or answers ROUTER_COOLING at once, with the time to come again. An attempt
   * that has shown nothing after `patienceMs` is a {@link Trouble}, and goes on.
   */
  async guard(provider: string, patienceMs: number, attempt: () => Promise<Attempt>): Promise<Attempt> {
    const guarded = this.#of(provider);
    const { circuit, pause } = guarded;
    const others = pause ? undefined : await this.#shared((values) => values.get<Pause>(SPACE, provider));
    if (others && isAhead(others)) return refused(others, leftOf(others));
    const entered = circuit.begin();
    if (typeof entered === "number") return refused(guarded.pause as Pause, entered);
    const asked: Asked = { at: performance.now(), patienceMs };
    guarded.asked.add(asked);
    try {
      const result = await attempt();
      this.#judge(provider, guarded, result, entered);
      return result;
    } finally {
      guarded.asked.delete(asked);
      circuit.leave(entered);
    }
  }

  /** True once a provider has answered this process. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** Returns the troubles that this process has seen. */
  troubles(): readonly Trouble[] {
    const now = performance.now();
    return [...this.#circuits].flatMap(([provider, guarded]) => {
      const hangs = [...guarded.asked].find(({ at, patienceMs }) => now - at >= patienceMs);
      if (hangs) guarded.trouble ??= hanging(hangs);
      const { trouble: reason, pause, failedAt = -Infinity } = guarded;
      if (reason === undefined) return [];
      const isOut = pause !== undefined && (isAhead(pause) || now - failedAt < unaskedMs);
      return [{ provider, reason, isOut }];
    });
  }

  /** Returns the pauses that this process has seen. */
  cooling(): readonly Cooling[] {
    return [...this.#circuits.values()].flatMap(({ pause }) =>
      pause && isAhead(pause) ? [shown(pause)] : [],
    );
  }

  /** Returns the pauses that any process has seen. */
  async shared(): Promise<readonly Cooling[]> {
    const all = (await this.#shared((values) => listAll<Pause>(values, SPACE))) ?? [];
    if (all.length === 0) return this.cooling();
    return all
      .map(({ value }) => value)
      .filter(isAhead)
      .map(shown);
  }

  #judge(provider: string, guarded: Guarded, result: Attempt, entered: Try): void {
    // A cancelled request has shown nothing: the next one tries.
    if (!result.ok && result.failure.code === "PROVIDER_CANCELLED") return;
    if (result.ok) {
      this.#hasWorked = true;
      guarded.trouble = undefined;
    }
    if (result.ok || !isTrouble(result.failure)) return this.#close(provider, guarded);
    guarded.failedAt = performance.now();
    const { code, message, retryAfterMs } = result.failure;
    const level = guarded.circuit.isOpen ? "debug" : "warn";
    const pauseMs = guarded.circuit.failed(entered, { askedMs: retryAfterMs });
    if (pauseMs === undefined) return;
    const until = new Date(Date.now() + pauseMs).toISOString();
    // The failure without its cure: the circuit has one of its own.
    const reason = message.replace(/: .*|[.!]$/s, "");
    const pause: Pause = { provider, until, reason, pauseMs };
    guarded.pause = pause;
    guarded.trouble = reason;
    const line = `${provider} keeps failing and is left alone until ${until}.`;
    this.#log[level]({ provider, code, until }, line);
    void this.#shared((values) => values.put(SPACE, provider, pause, { forMs: pauseMs }));
  }

  #close(provider: string, guarded: Guarded): void {
    if (!guarded.circuit.worked()) return;
    guarded.pause = undefined;
    this.#log.info({ provider }, `${provider} answers again.`);
    void this.#shared((values) => values.remove(SPACE, provider));
  }

  #of(provider: string): Guarded {
    const fresh = (): Guarded => ({ circuit: new Circuit(this.#limits), asked: new Set() });
    const known = this.#circuits.get(provider) ?? fresh();
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

function hanging({ patienceMs }: Asked): string {
  return `it takes requests and has answered nothing for ${Math.round(patienceMs / 1_000)} s`;
}

function leftOf({ until }: Cooling): number {
  return Date.parse(until) - Date.now();
}

function isAhead(pause: Pause): boolean {
  const left = leftOf(pause);
  return left > 0 && left <= (pause.pauseMs ?? longestAskedMs);
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
