import type { Check, Logger, Meters, Service, Store } from "@gantry/sdk";
import { readyRows, type Ready, type ReadyRow } from "../shared/trouble-rows.ts";
import { inTime } from "./in-time.ts";
import { Told, type Tell } from "./told.ts";

const maxKept = 100;
/** A cause that is back within so long is over once it has been well for as long. */
const oftenMs = 15 * 60_000;

/** A cause of trouble since this process has started. */
export interface Alert {
  readonly what: string;
  readonly detail: string;
  /** ISO 8601. */
  readonly since: string;
  /** Left out while it goes on. */
  readonly until?: string;
}

/** A cause that is not over; times by `performance.now()`. */
interface Open {
  /** The check that told of it; undefined if only an earlier run of the service knew. */
  readonly check?: string;
  readonly detail: string;
  /** True if it was over only a little before it began. */
  readonly isBack: boolean;
  /** When it was last not well. */
  badAt: number;
}

const unheard = `has been in no trouble for ${oftenMs / 60_000} minutes, since the service started again`;
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
 * letters. One alert is made of each cause, and over once the cause has been well for one look; a
 * state that somebody asked for is none. Log, meters and owner have the same alerts.
 */
export class Alerts {
  readonly #watched: Watched;
  readonly #told: Told;
  readonly #open = new Map<string, Open>();
  /** When each was over last, by `performance.now()`. */
  readonly #ended = new Map<string, number>();
  /** The last alerts, the newest first. */
  #last: readonly Alert[] = [];
  /** The parts of which a check has said that they work: silence does not say so any more. */
  readonly #attested = new Set<string>();
  #dead: number | undefined;
  #isStopped = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#told = new Told(watched);
  }

  /** Returns the last alerts, the newest first. */
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
      start: async () => {
        this.#isStopped = false;
        onStart();
        again();
      },
      stop: async () => {
        this.#isStopped = true;
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
    const ready = await readyRows(this.#watched.checks);
    const { rows } = ready;
    // A host that stops says nothing of the time before.
    if (this.#isStopped) return;
    const well = this.#judge(ready);
    for (const row of rows)
      if (row.state !== "ok" && !row.planned && !this.#open.get(row.what)?.check) this.#begins(row);
    this.#measure(rows);
    const earlier = (await this.#told.recall()).filter((what) => !this.#open.has(what));
    for (const what of earlier) this.#open.set(what, { detail: "", isBack: false, badAt: performance.now() });
    await this.#told.tell(this.#open, well);
    await this.#tellDead();
  }

  /** Ends what is well. Returns for each such part the words of its end. */
  #judge({ rows, silent }: Ready): ReadonlyMap<string, string> {
    const found = new Map(rows.map((row) => [row.what, row]));
    const well = new Map<string, string>();
    const at = performance.now();
    for (const { what, state } of rows) if (state === "ok") this.#attested.add(what);
    for (const [what, open] of this.#open) {
      const { check, isBack } = open;
      const row = found.get(what);
      const isUnknown = this.#attested.has(what) || silent.has(check ?? "");
      if (row ? row.state !== "ok" : isUnknown) open.badAt = at;
      const isUnheard = !row && check === undefined;
      if (open.badAt === at || at - open.badAt < (isBack || isUnheard ? oftenMs : 0)) continue;
      well.set(what, isUnheard ? unheard : "works again");
    }
    for (const [what, how] of well) this.#ends(what, how);
    return well;
  }

  #begins({ what, check, detail }: ReadyRow): void {
    const { log, meters } = this.#watched;
    const at = performance.now();
    const isBack = at - (this.#ended.get(what) ?? -Infinity) < oftenMs;
    this.#open.set(what, { check, detail, isBack, badAt: at });
    this.#last = [{ what, detail, since: now() }, ...this.#last].slice(0, maxKept);
    meters?.count("alerts_total", { part: partOf(what) });
    meters?.set("trouble", 1, { part: partOf(what) });
    log.warn({ alert: what }, `Alert: ${what}: ${detail}`);
  }

  #ends(what: string, how: string): void {
    const { log, meters } = this.#watched;
    this.#open.delete(what);
    this.#ended.set(what, performance.now());
    const isOpen = (one: Alert): boolean => one.what === what && one.until === undefined;
    this.#last = this.#last.map((one) => (isOpen(one) ? { ...one, until: now() } : one));
    const isLast = ![...this.#open.keys()].some((other) => partOf(other) === partOf(what));
    if (isLast) meters?.set("trouble", 0, { part: partOf(what) });
    log.info({ alert: what }, `Over: ${what} ${how}.`);
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
