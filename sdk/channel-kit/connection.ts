import { errors } from "../contract/codes.ts";
import type { GantryError } from "../contract/errors.ts";
import type { ChannelHealth } from "./health.ts";
import { pause } from "./pause.ts";

const firstMs = 1_000;
const longestMs = 60_000;
/**
 * A connection that held for so long was a good one: the next loss begins with short waits again.
 */
const goodMs = 60_000;
/**
 * A refused account is tried again after these: a slip of the platform passes, a person's cure
 * takes longer.
 */
const refusedMs = { first: 30_000, longest: 300_000 };
/** While it waits, it is said so often that it does. */
const beatMs = 30_000;
/** The store is tried again so soon. It has a check and an alert of its own. */
const ofStore: Trouble = { reason: "the store keeps nothing", isOurs: true, afterMs: 2_000 };
const storeCodes: ReadonlySet<unknown> = new Set([errors.STORE_FAILED.code, errors.STORE_HELD.code]);
/** Work that does not heed its signal is left behind after this long. */
const graceMs = 5_000;

/** The end of a connection, as the channel understands it. */
export interface Trouble {
  /** A sentence for log, status and doctor, with the cure if there is one. */
  readonly reason: string;
  /** The platform refuses the account. */
  readonly refused?: boolean;
  /** True if only another program or another configuration helps, so it is not tried again. */
  readonly final?: boolean;
  /** Milliseconds: the wait that the platform asked for. */
  readonly afterMs?: number;
  /** Milliseconds: no shorter wait makes sense. */
  readonly leastMs?: number;
  /** Milliseconds without a word from the platform, if that is how the trouble was noticed. */
  readonly unheardMs?: number;
  /** True if the store keeps nothing: the channel hears, and what it hears comes again. */
  readonly isOurs?: true;
}

export interface ConnectionOptions {
  readonly health: ChannelHealth;
  /** Milliseconds without a sign of life after which the connection is made again. */
  readonly watchdogMs: number;
  /**
   * Serves one connection until it ends or `signal` aborts; calls `alive` at every sign of life.
   */
  run(signal: AbortSignal, alive: () => void): Promise<void>;
  /** Returns what an error of `run` means. */
  judge(error: unknown): Trouble;
}

/**
 * Keeps one connection to a platform: renewed if deaf, tried again with growing waits if it breaks.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();
  #served: Promise<void> = Promise.resolve();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.health.starts();
    this.#served = this.#serve(this.#stop.signal);
  }

  /** Resolves once nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#served;
    await this.#options.health.stopped();
  }

  async #serve(signal: AbortSignal): Promise<void> {
    let tries = 0;
    while (!signal.aborted) {
      const began = Date.now();
      const trouble = await this.#once(signal);
      if (signal.aborted) return;

      tries = Date.now() - began >= goodMs ? 1 : tries + 1;
      if (!trouble.isOurs) this.#tell(trouble);
      await this.#wait(waitMs(tries, trouble), signal);
    }
  }

  /**
   * Says now and then that it is still so, since a service that says nothing is taken for one that
   * does not run.
   */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const until = Date.now() + ms;
    for (let left = ms; left > 0 && !signal.aborted; left = until - Date.now()) {
      await pause(Math.min(left, beatMs), signal);
      this.#options.health.beat();
    }
  }

  #tell({ refused = false, final = false, reason, unheardMs }: Trouble): void {
    if (refused || final) this.#options.health.refused(reason);
    else this.#options.health.waits(reason, unheardMs);
  }

  /** One connection, from its opening to its end. */
  async #once(signal: AbortSignal): Promise<Trouble> {
    const options = this.#options;
    const { watchdogMs } = options;
    const deaf = new AbortController();
    const over = new AbortController();
    const both = AbortSignal.any([signal, deaf.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(timer);
      if (!both.aborted) timer = setTimeout(() => deaf.abort(), watchdogMs);
    };
    alive();
    try {
      await Promise.race([options.run(both, alive), leftBehind(both, over.signal)]);
      return { reason: "the connection ended" };
    } catch (error) {
      if (storeCodes.has((error as GantryError).code)) return ofStore;
      if (!deaf.signal.aborted) return options.judge(error);
      const reason = `nothing came for ${watchdogMs / 1_000} s, so the connection is made anew`;
      return { reason, unheardMs: watchdogMs };
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }
}

/**
 * Returns the milliseconds before the next try: doubled each time, with jitter, so that many do not
 * come back at once. `Infinity`: no other try.
 */
export function waitMs(tries: number, trouble: Trouble, random: () => number = Math.random): number {
  if (trouble.final) return Infinity;
  if (trouble.afterMs !== undefined) return trouble.afterMs;
  if (trouble.refused) return Math.min(refusedMs.first * 2 ** Math.min(tries - 1, 16), refusedMs.longest);
  const doubled = Math.max(firstMs, trouble.leastMs ?? 0) * 2 ** Math.min(tries - 1, 16);
  const most = Math.min(doubled, longestMs);
  return Math.max(trouble.leastMs ?? 0, Math.round(most * (0.5 + random() / 2)));
}

/** Rejects a while after `signal` was aborted, unless it is `over` before. */
async function leftBehind(signal: AbortSignal, over: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    const either = AbortSignal.any([signal, over]);
    if (either.aborted) resolve();
    else either.addEventListener("abort", () => resolve(), { once: true });
  });
  await pause(graceMs, over);
  throw new Error("the connection did not end by its signal");
}
