import type { CheckRow, Logger } from "@gantry/sdk";
import type { Claim, Lanes } from "@gantry/sdk/fill";
import { Circuit, silentMs, type Try, type TryFailure } from "../shared/circuit.ts";
import type { Outcomes } from "./outcomes.ts";

const limits = { failures: 5, firstMs: 2_000, longestMs: 20_000 };
export const model = "model";
/** The wait for a budget, which ends with the time or with another configuration. */
export const budget = "budget";

export interface OutageDeps {
  readonly lanes: Lanes;
  readonly outcomes: Outcomes;
  readonly log: Logger;
}

/**
 * Keeps messages waiting while the model or a channel's platform is away. One message at a time
 * tries; once one succeeds, all are due.
 */
export class Outages {
  readonly #deps: OutageDeps;
  readonly #circuits = new Map<string, Circuit>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Why each is away, while its circuit is open. */
  readonly #reasons = new Map<string, string>();
  /** When each last worked, by `performance.now()`. */
  readonly #workedAt = new Map<string, number>();
  /** Until when a budget is used up, by `performance.now()`. */
  #later = { reason: "", until: -Infinity };
  #stopped = false;

  constructor(deps: OutageDeps) {
    this.#deps = deps;
  }

  /** Takes up what messages waited for when the process before ended. */
  async start(): Promise<void> {
    for (const { waitsFor, reason } of await this.#deps.lanes.waits()) {
      if (waitsFor === budget) await this.#deps.lanes.wake(budget);
      else this.failed(waitsFor, { isTrial: false }, reason, { isSure: true });
    }
  }

  /**
   * Returns a row for `model`, `budget` and each `channel:<name>`. What has failed twice in a row
   * is away until it has worked, also while it is tried again.
   */
  rows(): readonly CheckRow[] {
    const cure = "Mend what the reason says; messages are answered by themselves once it works.";
    const away = [...this.#reasons].filter(([what]) => this.#circuits.get(what)?.isLasting);
    if (performance.now() < this.#later.until) away.push([budget, this.#later.reason]);
    const working = [...this.#workedAt.keys()].filter((what) => !this.#circuits.get(what)?.isOpen);
    return [
      ...away.map(([what, detail]): CheckRow => ({ what, state: "warn", detail, cure })),
      ...working.map((what): CheckRow => ({ what, state: "ok", detail: "it has worked" })),
    ];
  }

  /** Notes that a budget is used up for so many milliseconds. */
  usedUp(reason: string, ms: number): void {
    this.#later = { reason, until: Math.max(this.#later.until, performance.now() + ms) };
  }

  /** True once nobody tries any more. */
  get isOver(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** Begins a try, which {@link leave} ends; undefined if it is away and nobody may try now. */
  begin(what: string): Try | undefined {
    const attempt = this.#circuitOf(what).begin();
    if (typeof attempt === "number") return undefined;
    if (attempt.isTrial) this.#settleIn(what, silentMs);
    return attempt;
  }

  /** Returns true if it worked for others since this message failed: the fault is the message's. */
  workedSince(what: string, { triedMsAgo = 0 }: Claim): boolean {
    const workedAt = this.#workedAt.get(what) ?? -Infinity;
    return performance.now() - workedAt < triedMsAgo;
  }

  /** Notes that a try failed; returns true if it is away, which is logged once. */
  failed(what: string, attempt: Try, reason: string, failure: TryFailure): boolean {
    const circuit = this.#circuitOf(what);
    const wasOpen = circuit.isOpen;
    const pauseMs = circuit.failed(attempt, failure);
    if (pauseMs !== undefined) this.#settleIn(what, pauseMs);
    if (circuit.isOpen) this.#reasons.set(what, reason);
    if (circuit.isOpen && !wasOpen)
      this.#deps.log.error({ waits_for: what }, `Messages wait for ${named(what)}: ${reason}`);
    return circuit.isOpen;
  }

  /** It works: all that waited for it is due. */
  async worked(what: string): Promise<void> {
    this.#workedAt.set(what, performance.now());
    if (!this.#circuitOf(what).worked()) return;
    clearTimeout(this.#timers.get(what));
    this.#deps.log.info({ waits_for: what }, `${capital(named(what))} is back, and what waited goes on.`);
    await this.settle(what);
  }

  /** Makes due what may be tried, now or later. Call it once a message is written as waiting. */
  async settle(what: string): Promise<void> {
    const { isOpen, waitMs } = this.#circuitOf(what);
    if (waitMs > 0) return this.#settleIn(what, waitMs);
    if (this.#stopped) return;
    const limit = isOpen ? 1 : undefined;
    await this.#deps.outcomes.record(() => this.#deps.lanes.wake(what, limit));
  }

  /** Ends a try, whatever came of it: if it showed nothing, another message may try. */
  async leave(what: string, attempt: Try): Promise<void> {
    if (!attempt.isTrial) return;
    this.#circuitOf(what).leave(attempt);
    await this.settle(what);
  }

  #circuitOf(what: string): Circuit {
    const circuit = this.#circuits.get(what) ?? new Circuit(limits);
    this.#circuits.set(what, circuit);
    return circuit;
  }

  #settleIn(what: string, ms: number): void {
    clearTimeout(this.#timers.get(what));
    if (this.#stopped) return;
    // A store that fails meanwhile is tried until it works, or until the service stops.
    this.#timers.set(
      what,
      setTimeout(() => void this.settle(what).catch(() => {}), Math.ceil(ms)),
    );
  }
}

/** Returns its name as people read it. */
function named(what: string): string {
  return what.startsWith("channel:") ? `the channel ${what.slice("channel:".length)}` : `the ${what}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
