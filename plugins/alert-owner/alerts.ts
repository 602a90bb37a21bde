import type { Check, CheckRow, Logger, Meters, Service, Store } from "@gantry/sdk";
import { troubleRows } from "@gantry/sdk/node";

/** A part that comes and goes is told of once in so long. */
const oftenMs = 15 * 60_000;
const SPACE = "alert-owner";
const KEY = "going";

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
  /** What was going on when the service ended, until the first look; undefined until it was read. */
  #earlier: Map<string, string> | undefined;
  /** What of `#going` is kept, as it is written down. */
  #kept = "";
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
    await this.#recall();
    for (const { what, detail } of found) if (!this.#going.has(what)) await this.#begins(what, detail);
    for (const [what, key] of this.#going)
      if (!found.some((trouble) => trouble.what === what)) await this.#ends(what, key, "works again");
    for (const [what, key] of this.#earlier ?? [])
      await this.#ends(what, key, "is in no trouble since the service started again");
    this.#earlier?.clear();
    await this.#keep();
    this.#watched.meters?.set("ready", found.some(({ state }) => state === "fail") ? 0 : 1);
    await this.#setAside();
  }

  async #begins(what: string, detail: string): Promise<void> {
    const { log, meters, tell } = this.#watched;
    const told = this.#earlier?.get(what);
    const key = told ?? `alert:${what}:${Math.floor(Date.now() / oftenMs)}`;
    this.#going.set(what, key);
    this.#earlier?.delete(what);
    meters?.count("alerts_total", { part: partOf(what) });
    meters?.set("trouble", 1, { part: partOf(what) });
    log.warn({ alert: what }, `Alert: ${what}: ${detail}`);
    if (told === undefined) await tell(key, `Alert: ${what}: ${detail}`, what);
  }

  async #ends(what: string, key: string, how: string): Promise<void> {
    const { log, meters, tell } = this.#watched;
    this.#going.delete(what);
    const isLast = ![...this.#going.keys()].some((other) => partOf(other) === partOf(what));
    if (isLast) meters?.set("trouble", 0, { part: partOf(what) });
    log.info({ alert: what }, `Over: ${what} ${how}.`);
    await tell(`${key}:over`, `Over: ${what} ${how}.`, what);
  }

  /** So that the end of what the owner was told of is told by whichever run of the service sees it. */
  async #recall(): Promise<void> {
    if (this.#earlier) return;
    try {
      const kept =
        (await this.#watched.store.values.get<readonly (readonly [string, string])[]>(SPACE, KEY)) ?? [];
      this.#earlier = new Map(kept);
      this.#kept = JSON.stringify(kept);
    } catch {
      // The store may be what is in trouble: the next look tries again.
    }
  }

  async #keep(): Promise<void> {
    const going = [...this.#going];
    const text = JSON.stringify(going);
    if (!this.#earlier || text === (this.#kept || "[]")) return;
    try {
      await this.#watched.store.values.put(SPACE, KEY, going);
      this.#kept = text;
    } catch {
      // As above.
    }
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
