import type { Memory, MemoryEntry, Sources, Values } from "@gantry/sdk";

/** When memories were made whose text only looks as if it had a key, by their ids. */
const space = "memory-without-key";
const head = /^\[([\p{L}\p{N}][\p{L}\p{N}._-]{0,63})\] /u;

export const keyForm = "^[\\p{L}\\p{N}][\\p{L}\\p{N}._-]{0,63}$";

/** The owner of a memory, and what it says. */
interface Fact {
  readonly user: string;
  readonly key?: string | undefined;
  readonly text: string;
  readonly sources?: Sources | undefined;
}

/**
 * The keys of memories. A key stands at the head of the text, where a search finds it and earlier
 * releases have put it. The memories that have no key in spite of such a head are noted beside.
 */
export class MemoryKeys {
  readonly #memory: Memory;
  readonly #values: Values;

  constructor(memory: Memory, values: Values) {
    this.#memory = memory;
    this.#values = values;
  }

  /** Returns the key of a memory; undefined if it has none. */
  async of({ id, text, created }: MemoryEntry): Promise<string | undefined> {
    const key = head.exec(text)?.[1]?.toLowerCase();
    if (key === undefined) return undefined;
    // A store may give an id again.
    return (await this.#values.get(space, id)) === created ? undefined : key;
  }

  /** Returns the ids of the memories that stand under a key. */
  async under(key: string, entries: readonly MemoryEntry[]): Promise<readonly string[]> {
    const begins = `[${key.toLowerCase()}] `;
    const found: string[] = [];
    for (const entry of entries)
      if (entry.text.toLowerCase().startsWith(begins) && (await this.of(entry)) !== undefined)
        found.push(entry.id);
    return found;
  }

  /** Remembers a text, under a key if one is given; without one whatever it begins with. */
  async remember({ user, key, text, sources }: Fact): Promise<MemoryEntry> {
    const whole = key === undefined ? text : `[${key.toLowerCase()}] ${text}`;
    const entry = await this.#memory.remember(user, whole, sources);
    if (key === undefined && head.test(text)) await this.#values.put(space, entry.id, entry.created);
    return entry;
  }

  /** Forgets a memory; false if the user has none of this id. */
  async forget(user: string, id: string): Promise<boolean> {
    const isGone = await this.#memory.forget(user, id);
    if (isGone) await this.#values.remove(space, id);
    return isGone;
  }
}
