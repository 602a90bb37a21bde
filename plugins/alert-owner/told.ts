import type { CheckRow, Logger, Store } from "@gantry/sdk";
import { inTime } from "./in-time.ts";

/** A part that comes and goes is told of once in so long. */
const oftenMs = 15 * 60_000;
const SPACE = "alert-owner";
const KEY = "going";

/** Tells the owner, once under a key, not by the channel that it is about. */
export type Tell = (key: string, text: string, about: string) => Promise<void>;

/**
 * The findings of one round of checks: troubles that began, troubles that are over, parts that
 * work.
 */
export interface Found {
  readonly begun: readonly CheckRow[];
  readonly over: readonly string[];
  readonly working: ReadonlySet<string>;
}

/** A beginning that the owner was told of, and of whose end they were not told yet. */
interface Open {
  /** The key that the beginning was told with. */
  readonly key: string;
  /**
   * `going`: it is in trouble. `held`: it works, which is told once it has done so for a while.
   * `earlier`: the service has started since, and knows nothing of it yet.
   */
  readonly state: "going" | "held" | "earlier";
  /** Since when, by `performance.now()`. */
  readonly since: number;
}

/**
 * The messages by which the owner reads of troubles: of each a beginning and an end, in turn. The
 * end of a trouble that came back within 15 minutes is told once the part has worked for as long.
 */
export class Told {
  readonly #needs: { readonly store: Store; readonly log: Logger; readonly tell: Tell };
  readonly #open = new Map<string, Open>();
  /** When the owner was last told of an end, by `performance.now()`. */
  readonly #ended = new Map<string, number>();
  /** The kept part of `#open`, as it is written down; undefined until it was read. */
  #kept: string | undefined;

  constructor(needs: { readonly store: Store; readonly log: Logger; readonly tell: Tell }) {
    this.#needs = needs;
  }

  async look({ begun, over, working }: Found): Promise<void> {
    await this.#recall();
    for (const what of over) await this.#over(what);
    for (const { what, detail } of begun) await this.#begun(what, detail);
    for (const [what, open] of this.#open) await this.#waited(what, open, working);
    await this.#keep();
  }

  async #begun(what: string, detail: string): Promise<void> {
    const told = this.#open.get(what);
    const key = told?.key ?? `alert:${what}:${Date.now()}`;
    this.#open.set(what, { key, state: "going", since: performance.now() });
    if (!told) await this.#needs.tell(key, `Alert: ${what}: ${detail}`, what);
  }

  async #over(what: string): Promise<void> {
    const open = this.#open.get(what);
    if (!open) return;
    const now = performance.now();
    if (now - (this.#ended.get(what) ?? -Infinity) >= oftenMs) return this.#end(what, open, "works again");
    this.#open.set(what, { key: open.key, state: "held", since: now });
  }

  async #waited(what: string, open: Open, working: ReadonlySet<string>): Promise<void> {
    const { state, since } = open;
    const isLong = performance.now() - since >= oftenMs;
    if (state === "held" && isLong) return this.#end(what, open, "works again");
    if (state !== "earlier" || !(isLong || working.has(what))) return;
    const minutes = oftenMs / 60_000;
    const quiet = `has been in no trouble for ${minutes} minutes, since the service started again`;
    const how = working.has(what) ? "works again" : quiet;
    this.#needs.log.info({ alert: what }, `Over: ${what} ${how}.`);
    await this.#end(what, open, how);
  }

  async #end(what: string, { key }: Open, how: string): Promise<void> {
    this.#open.delete(what);
    this.#ended.set(what, performance.now());
    await this.#needs.tell(`${key}:over`, `Over: ${what} ${how}.`, what);
  }

  /**
   * So that the end of what the owner was told of is told by whichever run of the service sees it.
   */
  async #recall(): Promise<void> {
    if (this.#kept !== undefined) return;
    const { values } = this.#needs.store;
    const kept = await answered(
      async () => (await values.get<readonly (readonly [what: string, key: string])[]>(SPACE, KEY)) ?? [],
    );
    if (!kept) return;
    const since = performance.now();
    for (const [what, key] of kept)
      if (!this.#open.has(what)) this.#open.set(what, { key, state: "earlier", since });
    this.#kept = JSON.stringify(kept);
  }

  async #keep(): Promise<void> {
    const open = [...this.#open].map(([what, { key }]) => [what, key] as const);
    const text = JSON.stringify(open);
    if (this.#kept === undefined || text === this.#kept) return;
    await answered(async () => {
      await this.#needs.store.values.put(SPACE, KEY, open);
      this.#kept = text;
    });
  }
}

/** Returns undefined if the store fails: the next look tries again. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return inTime(ask).catch(() => undefined);
}
