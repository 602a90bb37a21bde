import type { Store } from "@gantry/sdk";
import { inTime } from "./in-time.ts";

const SPACE = "alert-owner";
const KEY = "going";

/** Tells the owner, once under a key, not by the channel that it is about. */
export type Tell = (key: string, text: string, about: string) => Promise<void>;

/**
 * Tells the owner a beginning and an end of each alert, whichever run of the service sees it, and
 * keeps what they were told.
 */
export class Told {
  readonly #store: Store;
  readonly #tell: Tell;
  /** The keys of the beginnings, by part; of their ends they were not told. */
  readonly #told = new Map<string, string>();
  /** The text in the store; undefined until it was read. */
  #kept: string | undefined;

  constructor({ store, tell }: { readonly store: Store; readonly tell: Tell }) {
    this.#store = store;
    this.#tell = tell;
  }

  /** Returns the parts that an earlier run has told of, once: when the store answers. */
  async recall(): Promise<readonly string[]> {
    if (this.#kept !== undefined) return [];
    const { values } = this.#store;
    const kept = await answered(
      async () => (await values.get<readonly (readonly [what: string, key: string])[]>(SPACE, KEY)) ?? [],
    );
    if (!kept) return [];
    for (const [what, key] of kept) if (!this.#told.has(what)) this.#told.set(what, key);
    this.#kept = JSON.stringify(kept);
    return kept.map(([what]) => what);
  }

  /** Tells what the owner does not know: the alerts that are open, and the ends of the others. */
  async tell(
    open: ReadonlyMap<string, { readonly detail: string }>,
    ends: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const [what, key] of this.#told) {
      if (open.has(what)) continue;
      this.#told.delete(what);
      await this.#tell(`${key}:over`, `Over: ${what} ${ends.get(what) ?? "works again"}.`, what);
    }
    for (const [what, { detail }] of open) {
      if (this.#told.has(what)) continue;
      const key = `alert:${what}:${Date.now()}`;
      this.#told.set(what, key);
      await this.#tell(key, `Alert: ${what}: ${detail}`, what);
    }
    await this.#keep();
  }

  async #keep(): Promise<void> {
    const told = [...this.#told];
    const text = JSON.stringify(told);
    if (this.#kept === undefined || text === this.#kept) return;
    await answered(async () => {
      await this.#store.values.put(SPACE, KEY, told);
      this.#kept = text;
    });
  }
}

/** Returns undefined if the store fails: the next look tries again. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return inTime(ask).catch(() => undefined);
}
