import type { Logger } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";

/** A channel is held up by one command so long at most: platforms wait for it, and other people's words behind it. */
const patienceMs = 500;

interface UnderWay {
  readonly session: string;
  readonly ended: Promise<void>;
}

/** Commands of channels that are being done. Most are done at once; what takes longer goes on while its channel does. */
export class CommandsUnderWay {
  readonly #log: Logger;
  readonly #all = new Map<string, UnderWay>();
  /** Aborted once the time that a stop gives to commands is up. */
  readonly over = new AbortController();

  constructor(log: Logger) {
    this.#log = log;
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  /**
   * Resolves once `work` is done, or once `keep` has written down that it goes on. Rejects as either does; what fails
   * later is logged.
   */
  async run(
    key: string,
    session: string,
    work: () => Promise<void>,
    keep: () => Promise<void>,
  ): Promise<void> {
    // Somebody who sends many that take long is waited for once.
    const isBusy = [...this.#all.values()].some((other) => other.session === session);
    const done = work();
    const ended = done.catch(() => {}).finally(() => this.#all.delete(key));
    this.#all.set(key, { session, ended });
    const late = Symbol("late");
    const { promise, resolve } = Promise.withResolvers<typeof late>();
    const timer = setTimeout(() => resolve(late), isBusy ? 0 : patienceMs);
    const first = await Promise.race([done, promise]).finally(() => clearTimeout(timer));
    if (first !== late) return;
    done.catch((error: unknown) =>
      this.#log.error({ lane: session, err: asError(error) }, "What a command came to could not be kept."),
    );
    await keep();
  }

  /** Resolves once all are done, or with `signal`. */
  async stop(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await Promise.race([Promise.all([...this.#all.values()].map(({ ended }) => ended)), stopped]);
    this.over.abort();
  }
}
