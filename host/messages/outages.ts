import type { Claim, Lanes, Logger } from "@gantry/sdk";
import { msSinceTry } from "./claim-times.ts";
import type { Outcomes } from "./outcomes.ts";

/** Between two tries whether something is back: its return is noticed within the last of them. */
const probeMs = [2_000, 5_000, 10_000, 20_000];
export const model = "model";
/** What messages wait for that comes with the time, or with another configuration. */
export const budget = "budget";
/** No wait that a server asks for is believed beyond this. */
const longestMs = 3_600_000;

/** What hangs is waited for so long before one more message tries whether it is back. */
const hangMs = 10_000;
/** Once it is back, what still hangs from before has so long left. */
const leftMs = 5_000;

interface Outage {
  /** Tries so far that showed it still away. */
  failed: number;
  /** The messages that try now: one, and more only where it hangs. */
  readonly probes: Set<Claim>;
  /** True once a message may try. */
  isDue: boolean;
  timer?: NodeJS.Timeout | undefined;
}

/** One message that tries something now. */
interface Try {
  readonly what: string;
  /** By `performance.now()`. */
  readonly begunAt: number;
  readonly cut: AbortController;
  ending?: NodeJS.Timeout;
}

export interface OutageDeps {
  readonly lanes: Lanes;
  readonly outcomes: Outcomes;
  readonly log: Logger;
}

/**
 * What messages wait for while it is away: the model, or a channel's platform. One message at a time tries whether it is
 * back; once one succeeds, all are due.
 */
export class Outages {
  readonly #deps: OutageDeps;
  readonly #away = new Map<string, Outage>();
  /** When each was last seen to work, by `performance.now()`. */
  readonly #workedAt = new Map<string, number>();
  readonly #tries = new Map<Claim, Try>();
  #stopped = false;

  constructor(deps: OutageDeps) {
    this.#deps = deps;
  }

  /** Takes up what messages waited for when the process before ended: one of each tries at once. */
  async start(): Promise<void> {
    for (const { waitsFor } of await this.#deps.lanes.waits()) {
      if (waitsFor === budget) {
        await this.#deps.lanes.wake(budget);
        continue;
      }
      this.#away.set(waitsFor, { failed: 0, probes: new Set(), isDue: true });
      await this.#deps.lanes.wake(waitsFor, 1);
    }
  }

  /** True once nothing is looked for any more. */
  get isOver(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    for (const { timer } of this.#away.values()) clearTimeout(timer);
    for (const { ending } of this.#tries.values()) clearTimeout(ending);
  }

  /**
   * Undefined where it is known to be away and another message finds out. Else this one may try it, until {@link leave} or
   * the next `begin`; the signal is aborted where it hangs and need not be waited for any longer.
   */
  begin(what: string, claim: Claim): AbortSignal | undefined {
    const outage = this.#away.get(what);
    if (outage && !outage.probes.has(claim)) {
      if (!outage.isDue) return undefined;
      outage.isDue = false;
      outage.probes.add(claim);
      this.#probeIn(hangMs, what, outage);
    }
    this.#end(claim);
    const cut = new AbortController();
    this.#tries.set(claim, { what, begunAt: performance.now(), cut });
    return cut.signal;
  }

  /** What it began to try took long, and worked for nobody meanwhile. */
  hangs(claim: Claim): boolean {
    const { what, begunAt } = this.#tries.get(claim) ?? {};
    if (what === undefined || begunAt === undefined || performance.now() - begunAt < hangMs) return false;
    return (this.#workedAt.get(what) ?? -Infinity) < begunAt;
  }

  /** It worked for somebody since this message was last tried, so what failed is the message's own fault. */
  workedSince(what: string, claim: Claim): boolean {
    const ago = msSinceTry(claim);
    const workedAt = this.#workedAt.get(what);
    return ago !== undefined && workedAt !== undefined && performance.now() - workedAt < ago;
  }

  /** It is away, as this message found. Said once. */
  failed(what: string, claim: Claim, reason: string, afterMs: number = 0): void {
    const known = this.#away.get(what);
    if (known?.probes.delete(claim) === false) return;
    const outage: Outage = known ?? { failed: 0, probes: new Set(), isDue: false };
    this.#away.set(what, outage);
    if (!known) {
      this.#deps.log.error({ waits_for: what }, `Messages wait for ${named(what)}: ${reason}`);
      for (const other of this.#tries.values())
        if (other.what === what && performance.now() - other.begunAt >= hangMs) other.cut.abort();
    }

    const step = probeMs[Math.min(outage.failed, probeMs.length - 1)] as number;
    outage.failed += 1;
    // Where others try, the next one is due already, or soon.
    if (outage.probes.size > 0) return;
    outage.isDue = false;
    this.#probeIn(Math.min(Math.max(step, afterMs), longestMs), what, outage);
  }

  /** It works: all that waited for it is due. */
  async worked(what: string): Promise<void> {
    this.#workedAt.set(what, performance.now());
    const outage = this.#away.get(what);
    if (!outage) return;
    this.#away.delete(what);
    clearTimeout(outage.timer);
    this.#deps.log.info({ waits_for: what }, `${capital(named(what))} is back, and what waited goes on.`);
    for (const one of this.#tries.values())
      if (one.what === what && !this.#stopped) one.ending = setTimeout(() => one.cut.abort(), leftMs);
    await this.settle(what);
  }

  /** Call it once a message is written down as waiting: what came back meanwhile, or may be tried, has not seen it. */
  async settle(what: string): Promise<void> {
    const outage = this.#away.get(what);
    if (outage && !outage.isDue) return;
    const limit = outage ? 1 : undefined;
    await this.#deps.outcomes.record(() => this.#deps.lanes.wake(what, limit));
  }

  /** A message is no longer worked on; if it was to find out something and did not, another may. */
  async leave(claim: Claim): Promise<void> {
    this.#end(claim);
    for (const [what, outage] of this.#away) {
      if (!outage.probes.delete(claim)) continue;
      outage.isDue = true;
      if (!this.#stopped) await this.settle(what);
    }
  }

  #end(claim: Claim): void {
    clearTimeout(this.#tries.get(claim)?.ending);
    this.#tries.delete(claim);
  }

  #probeIn(ms: number, what: string, outage: Outage): void {
    clearTimeout(outage.timer);
    if (this.#stopped) return;
    outage.timer = setTimeout(() => {
      outage.isDue = true;
      // A store that fails meanwhile is tried until it works, or until the service stops.
      void this.settle(what).catch(() => {});
    }, ms);
  }
}

/** As people read it. */
function named(what: string): string {
  return what.startsWith("channel:") ? `the channel ${what.slice("channel:".length)}` : `the ${what}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
