import type { Check, Logger, Meters, Service, Store } from "@gantry/sdk";
import { readyRows, type ReadyRow } from "../shared/trouble-rows.ts";
import { inTime } from "./in-time.ts";
import { Told, type Tell } from "./told.ts";

const maxKept = 100;

/** A trouble since this process has started. */
export interface Alert {
  readonly what: string;
  readonly detail: string;
  /** ISO 8601. */
  readonly since: string;
  /** Left out while it goes on. */
  readonly until?: string;
}

const now = (): string => new Date().toISOString();

export interface Watched {
  readonly checks: ReadonlyMap<string, Check>;
  readonly meters: Meters | undefined;
  readonly store: Store;
  readonly log: Logger;
  readonly tell: Tell;
}

/**
 * Checks again and again the parts that the service needs: those of `GET /ready`, and the dead
 * letters. Log and meters have each trouble when it begins and when it is over; {@link Told} says
 * what the owner reads of it.
 */
export class Alerts {
  readonly #watched: Watched;
  readonly #told: Told;
  /** By part, the check that told of its trouble. */
  readonly #going = new Map<string, string>();
  /** The last troubles, the newest first. */
  #last: readonly Alert[] = [];
  /** The parts of which a check has said that they work: only that ends their trouble. */
  readonly #attested = new Set<string>();
  #dead: number | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#told = new Told(watched);
  }

  /** Returns the last troubles, the newest first. */
  get last(): readonly Alert[] {
    return this.#last;
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
      always: true,
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

  /**
   * The log and the meters wait for nothing but the checks themselves: the store may be what is in
   * trouble.
   */
  async look(): Promise<void> {
    const rows = await readyRows(this.#watched.checks);
    const over = [...this.#going.keys()].filter((what) => this.#isOver(what, rows));
    for (const what of over) this.#ends(what);
    const begun = rows.filter((row) => row.state !== "ok" && this.#begins(row));
    const working = rows.filter(({ state }) => state === "ok").map(({ what }) => what);
    for (const what of working) this.#attested.add(what);
    this.#measure(rows);
    await this.#told.look({ begun, over, working: new Set(working) });
    await this.#tellDead();
  }

  /**
   * Returns false if it was going on already, or under the name of another part of the same check.
   */
  #begins({ what, check, detail }: ReadyRow): boolean {
    const { log, meters } = this.#watched;
    const isSilent = what === check && [...this.#going.values()].includes(check);
    if (this.#going.has(what) || isSilent) return false;
    this.#going.set(what, check);
    this.#last = [{ what, detail, since: now() }, ...this.#last].slice(0, maxKept);
    meters?.count("alerts_total", { part: partOf(what) });
    meters?.set("trouble", 1, { part: partOf(what) });
    log.warn({ alert: what }, `Alert: ${what}: ${detail}`);
    return true;
  }

  /**
   * A part works if its check says so. For a check that never says `ok` silence is enough, and for
   * one that did not answer itself an answer without trouble.
   */
  #isOver(what: string, rows: readonly ReadyRow[]): boolean {
    const row = rows.find((found) => found.what === what);
    if (row) return row.state === "ok";
    const check = this.#going.get(what);
    const told = rows.filter((found) => found.check === check && found.state !== "ok");
    if (what === check) return told.length === 0;
    return !this.#attested.has(what) && !told.some((found) => found.what === check);
  }

  #ends(what: string): void {
    const { log, meters } = this.#watched;
    this.#going.delete(what);
    const isOpen = (one: Alert): boolean => one.what === what && one.until === undefined;
    this.#last = this.#last.map((one) => (isOpen(one) ? { ...one, until: now() } : one));
    const isLast = ![...this.#going.keys()].some((other) => partOf(other) === partOf(what));
    if (isLast) meters?.set("trouble", 0, { part: partOf(what) });
    log.info({ alert: what }, `Over: ${what} works again.`);
  }

  #measure(rows: readonly ReadyRow[]): void {
    const { meters } = this.#watched;
    meters?.set("ready", rows.some(({ state }) => state === "fail") ? 0 : 1);
    for (const { what, state } of rows) {
      const [kind, channel] = partOf(what).split(":");
      if (kind === "channel" && channel) meters?.set("channel_up", state === "ok" ? 1 : 0, { channel });
    }
  }

  /**
   * Messages that nobody will be answered: each is told when it becomes a dead letter, and has no
   * end.
   */
  async #tellDead(): Promise<void> {
    const { store, log, meters, tell } = this.#watched;
    const stats = await inTime(() => store.lanes.stats()).catch(() => undefined);
    if (!stats) return;
    const more = stats.deadLetters - (this.#dead ?? stats.deadLetters);
    this.#dead = stats.deadLetters;
    if (more <= 0) return;
    const text = `Alert: ${more} ${more === 1 ? "message became a dead letter" : "messages became dead letters"}: see \`gantry inbox list\`.`;
    meters?.count("alerts_total", { part: "dead_letters" });
    log.warn({ alert: "dead letters" }, text);
    await tell(`alert:dead:${Date.now()}`, text, "");
  }
}

/** A label names kinds of parts, of which there are few: `disk`, `channel:telegram`. */
function partOf(what: string): string {
  return /^[a-z]+(?::[a-z\d_-]+)?/.exec(what)?.[0] ?? "other";
}
