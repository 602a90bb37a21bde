import type { Check, CheckRow, Logger, Meters, Service, Store } from "@gantry/sdk";
import { troubleRows } from "@gantry/sdk/node";

/** A part that comes and goes is told of once in so long. */
const oftenMs = 15 * 60_000;

export interface Watched {
  readonly checks: ReadonlyMap<string, Check>;
  readonly meters: Meters | undefined;
  readonly store: Store;
  readonly log: Logger;
  /** Tells the owner, once under a key, not by the channel that it is about. */
  tell(key: string, text: string, about: string): Promise<void>;
}

/**
 * Looks again and again at what the service needs: what `GET /ready` looks at, and what was put aside. Each trouble is told
 * when it begins and when it is over.
 */
export class Alerts {
  readonly #watched: Watched;
  readonly #going = new Map<string, string>();
  #dead: number | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  service(name: string, everyMs: number, onStart: () => void): Service {
    let timer: NodeJS.Timeout | undefined;
    let looking = Promise.resolve();
    const again = (): void => {
      timer = setTimeout(() => {
        looking = this.look().finally(again);
      }, everyMs).unref();
    };
    return {
      name,
      async start() {
        onStart();
        again();
      },
      async stop() {
        clearTimeout(timer);
        await looking;
        clearTimeout(timer);
      },
    };
  }

  async look(): Promise<void> {
    const found: readonly CheckRow[] = await troubleRows(this.#watched.checks);
    for (const { what, detail } of found) if (!this.#going.has(what)) await this.#begins(what, detail);
    for (const [what, key] of this.#going)
      if (!found.some((trouble) => trouble.what === what)) await this.#ends(what, key);
    this.#watched.meters?.set("ready", found.some(({ state }) => state === "fail") ? 0 : 1);
    await this.#setAside();
  }

  async #begins(what: string, detail: string): Promise<void> {
    const { log, meters, tell } = this.#watched;
    const key = `alert:${what}:${Math.floor(Date.now() / oftenMs)}`;
    this.#going.set(what, key);
    meters?.count("alerts_total", { part: partOf(what) });
    meters?.set("trouble", 1, { part: partOf(what) });
    log.warn({ alert: what }, `Alert: ${what}: ${detail}`);
    await tell(key, `Alert: ${what}: ${detail}`, what);
  }

  async #ends(what: string, key: string): Promise<void> {
    const { log, meters, tell } = this.#watched;
    this.#going.delete(what);
    const isLast = ![...this.#going.keys()].some((other) => partOf(other) === partOf(what));
    if (isLast) meters?.set("trouble", 0, { part: partOf(what) });
    log.info({ alert: what }, `Over: ${what} works again.`);
    await tell(`${key}:over`, `Over: ${what} works again.`, what);
  }

  /** Messages that nobody will be answered: told as they are put aside, and there is no end to it. */
  async #setAside(): Promise<void> {
    const { store, log, meters, tell } = this.#watched;
    const stats = await store.lanes.stats().catch(() => undefined);
    if (!stats) return;
    const more = stats.deadLetters - (this.#dead ?? stats.deadLetters);
    this.#dead = stats.deadLetters;
    if (more <= 0) return;
    const text = `Alert: ${more} message${more === 1 ? " was" : "s were"} put aside unanswered: see \`gantry inbox list\`.`;
    meters?.count("alerts_total", { part: "dead_letters" });
    log.warn({ alert: "dead letters" }, text);
    await tell(`alert:dead:${Date.now()}`, text, "");
  }
}

/** A label names kinds of parts, of which there are few: `disk`, `channel:telegram`. */
function partOf(what: string): string {
  return /^[a-z]+(?::[a-z\d_-]+)?/.exec(what)?.[0] ?? "other";
}
