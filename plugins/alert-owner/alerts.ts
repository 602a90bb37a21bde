import type { Check, CheckRow, Logger, Meters, Service, Store } from "@gantry/sdk";
import { troubleRows } from "../shared/trouble-rows.ts";
import { inTime } from "./in-time.ts";

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

  /** The log and the meters wait for nothing but the checks themselves: the store may be what is in trouble. */
  async look(): Promise<void> {
    const found: readonly CheckRow[] = await troubleRows(this.#watched.checks);
    const before = [...this.#going];
    const begun = found.filter((trouble) => this.#begins(trouble));
    const over = before.filter(([what]) => !found.some((trouble) => trouble.what === what));
    for (const [what] of over) this.#ends(what, "works again");
    this.#watched.meters?.set("ready", found.some(({ state }) => state === "fail") ? 0 : 1);

    await this.#recall(new Set(before.map(([what]) => what)));
    for (const { what, detail } of begun) await this.#tellBegun(what, detail);
    for (const [what, key] of over) await this.#tellOver(what, key, "works again");
    const how = "is in no trouble since the service started again";
    for (const [what, key] of this.#earlier ?? []) {
      this.#ends(what, how);
      await this.#tellOver(what, key, how);
    }
    this.#earlier?.clear();
    await this.#keep();
    await this.#setAside();
  }

  /** False where it was going on already. */
  #begins({ what, detail }: CheckRow): boolean {
    const { log, meters } = this.#watched;
    if (this.#going.has(what)) return false;
    this.#going.set(what, `alert:${what}:${Math.floor(Date.now() / oftenMs)}`);
    meters?.count("alerts_total", { part: partOf(what) });
    meters?.set("trouble", 1, { part: partOf(what) });
    log.warn({ alert: what }, `Alert: ${what}: ${detail}`);
    return true;
  }

  #ends(what: string, how: string): void {
    const { log, meters } = this.#watched;
    this.#going.delete(what);
    const isLast = ![...this.#going.keys()].some((other) => partOf(other) === partOf(what));
    if (isLast) meters?.set("trouble", 0, { part: partOf(what) });
    log.info({ alert: what }, `Over: ${what} ${how}.`);
  }

  /** What the owner was told of before a restart goes on under the key that it was told with. */
  async #tellBegun(what: string, detail: string): Promise<void> {
    const told = this.#earlier?.get(what);
    this.#earlier?.delete(what);
    if (told !== undefined) this.#going.set(what, told);
    else await this.#watched.tell(this.#going.get(what)!, `Alert: ${what}: ${detail}`, what);
  }

  async #tellOver(what: string, key: string, how: string): Promise<void> {
    await this.#watched.tell(`${key}:over`, `Over: ${what} ${how}.`, what);
  }

  /** So that the end of what the owner was told of is told by whichever run of the service sees it; `mine` this one has begun. */
  async #recall(mine: ReadonlySet<string>): Promise<void> {
    if (this.#earlier) return;
    const { values } = this.#watched.store;
    const kept = await answered(
      async () => (await values.get<readonly (readonly [what: string, key: string])[]>(SPACE, KEY)) ?? [],
    );
    if (!kept) return;
    this.#earlier = new Map(kept.filter(([what]) => !mine.has(what)));
    this.#kept = JSON.stringify(kept);
  }

  async #keep(): Promise<void> {
    const going = [...this.#going];
    const text = JSON.stringify(going);
    if (!this.#earlier || text === (this.#kept || "[]")) return;
    await answered(async () => {
      await this.#watched.store.values.put(SPACE, KEY, going);
      this.#kept = text;
    });
  }

  /** Messages that nobody will be answered: told as they are put aside, and there is no end to it. */
  async #setAside(): Promise<void> {
    const { store, log, meters, tell } = this.#watched;
    const stats = await answered(async () => store.lanes.stats());
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

/** Undefined where the store fails: the next look tries again. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return inTime(ask).catch(() => undefined);
}

/** A label names kinds of parts, of which there are few: `disk`, `channel:telegram`. */
function partOf(what: string): string {
  return /^[a-z]+(?::[a-z\d_-]+)?/.exec(what)?.[0] ?? "other";
}
