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

interface Outage {
  /** Tries so far that showed it still away. */
  probes: number;
  /** The message that tries now, alone. */
  probe?: Claim | undefined;
  /** True once a message may try. */
  isDue: boolean;
  timer?: NodeJS.Timeout | undefined;
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
      this.#away.set(waitsFor, { probes: 0, isDue: true });
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
  }

  /** True if nothing is known to be away, or if this message is the one that finds out. */
  mayTry(what: string, claim: Claim): boolean {
    const outage = this.#away.get(what);
    if (!outage || outage.probe === claim) return true;
    if (!outage.isDue || outage.probe) return false;
    outage.probe = claim;
    return true;
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
    if (known && known.probe !== claim) return;
    const outage: Outage = known ?? { probes: 0, isDue: false };
    this.#away.set(what, outage);
    if (!known) this.#deps.log.error({ waits_for: what }, `Messages wait for ${named(what)}: ${reason}`);

    const step = probeMs[Math.min(outage.probes, probeMs.length - 1)] as number;
    outage.probes += 1;
    outage.probe = undefined;
    outage.isDue = false;
    clearTimeout(outage.timer);
    const wait = Math.min(Math.max(step, afterMs), longestMs);
    if (!this.#stopped) outage.timer = setTimeout(() => this.#probe(what, outage), wait);
  }

  /** It works: all that waited for it is due. */
  async worked(what: string): Promise<void> {
    this.#workedAt.set(what, performance.now());
    const outage = this.#away.get(what);
    if (!outage) return;
    this.#away.delete(what);
    clearTimeout(outage.timer);
    this.#deps.log.info({ waits_for: what }, `${capital(named(what))} is back, and what waited goes on.`);
    await this.settle(what);
  }

  /** Call it once a message is written down as waiting: what came back meanwhile, or may be tried, has not seen it. */
  async settle(what: string): Promise<void> {
    const outage = this.#away.get(what);
    if (outage && (!outage.isDue || outage.probe)) return;
    const limit = outage ? 1 : undefined;
    await this.#deps.outcomes.record(() => this.#deps.lanes.wake(what, limit));
  }

  /** A message is no longer worked on; if it was to find out something and did not, another may. */
  async leave(claim: Claim): Promise<void> {
    for (const [what, outage] of this.#away) {
      if (outage.probe !== claim) continue;
      outage.probe = undefined;
      if (!this.#stopped) await this.settle(what);
    }
  }

  #probe(what: string, outage: Outage): void {
    outage.isDue = true;
    // A store that fails meanwhile is tried until it works, or until the service stops.
    void this.settle(what).catch(() => {});
  }
}

/** As people read it. */
function named(what: string): string {
  return what.startsWith("channel:") ? `the channel ${what.slice("channel:".length)}` : `the ${what}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
