/** The longest wait that a server asks for and is believed, in milliseconds. */
export const longestAskedMs = 3_600_000;
/** Milliseconds after which a try that has heard nothing lets another try beside it. */
export const silentMs = 10_000;
/** While one tries, the others may ask again after so many milliseconds. */
const trialMs = 1_000;

export interface CircuitLimits {
  /** The number of failures in a row that opens the circuit. */
  readonly failures: number;
  /** Milliseconds of the first pause. Each further one is twice as long, up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** A use of what the circuit stands for. A trial finds out whether it is back. */
export interface Try {
  readonly isTrial: boolean;
}

/** A failure; `askedMs` is the wait that a server asked for, `isSure` opens the circuit at once. */
export interface TryFailure {
  readonly askedMs?: number | undefined;
  readonly isSure?: boolean;
}

/**
 * Leaves alone what keeps failing: opens after failures in a row, then lets one trial at a time
 * find out, after a pause that grows, whether it works again. Times go by `performance.now()`.
 */
export class Circuit {
  readonly #limits: CircuitLimits;
  #failures = 0;
  #pauses = 0;
  /** The end of the pause; undefined while the circuit is closed. */
  #until: number | undefined;
  #triedAt = -Infinity;

  constructor(limits: CircuitLimits) {
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return this.#until !== undefined;
  }

  /** True once a trial has failed too: one failure alone says little. */
  get isLasting(): boolean {
    return this.#pauses > 1;
  }

  /** Milliseconds until a try may begin; 0: now. */
  get waitMs(): number {
    const now = performance.now();
    if (this.#until === undefined) return 0;
    if (now < this.#until) return this.#until - now;
    return now < this.#triedAt + silentMs ? trialMs : 0;
  }

  /** Begins a try; returns the milliseconds to wait instead if none may begin now. */
  begin(): Try | number {
    const { isOpen, waitMs } = this;
    if (waitMs > 0) return waitMs;
    if (isOpen) this.#triedAt = performance.now();
    return { isTrial: isOpen };
  }

  /** Closes the circuit; returns true if it was open. */
  worked(): boolean {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    this.#pauses = 0;
    this.#until = undefined;
    this.#triedAt = -Infinity;
    return wasOpen;
  }

  /** Notes a failed try; returns the milliseconds of the pause that begins, if one does. */
  failed(attempt: Try, { askedMs = 0, isSure = false }: TryFailure = {}): number | undefined {
    this.leave(attempt);
    this.#failures += 1;
    const opens = isSure || this.#failures >= this.#limits.failures;
    if (this.isOpen ? !attempt.isTrial : !opens) return undefined;
    const { firstMs, longestMs } = this.#limits;
    const growing = Math.min(firstMs * 2 ** this.#pauses, longestMs);
    const pauseMs = Math.max(growing, Math.min(askedMs, longestAskedMs));
    this.#pauses += 1;
    this.#until = performance.now() + pauseMs;
    return pauseMs;
  }

  /** Notes that a try ended and showed nothing: the next caller may try. */
  leave({ isTrial }: Try): void {
    if (isTrial) this.#triedAt = -Infinity;
  }
}
