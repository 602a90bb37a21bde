import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { MemoryEntry, OwnMemory, Sources } from "@gantry/sdk";
import { replaceFile, surplus } from "@gantry/sdk/node";

interface Kept extends MemoryEntry {
  readonly user: string;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** How well a text fits: how many of the words are in it. Put your own measure here. */
function fits(words: readonly string[], text: string): number {
  const there = new Set(wordsOf(text));
  return words.filter((word) => there.has(word)).length;
}

/** All memories in one file, replaced whole. Each promise means that it is on disk. */
export class FileMemory implements OwnMemory {
  readonly #file: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async remember(user: string, text: string, sources?: Sources): Promise<MemoryEntry> {
    const entry = { id: randomUUID(), text, created: new Date().toISOString(), ...(sources && { sources }) };
    await this.#change((kept) => [...kept, { ...entry, user }]);
    return entry;
  }

  async recall(user: string, query: string, limit: number): Promise<readonly MemoryEntry[]> {
    const words = wordsOf(query);
    // The newest first; sorting keeps the order of those that fit equally well.
    const own = (await this.#read()).filter((entry) => entry.user === user).toReversed();
    const scored = own.map((entry) => ({ entry, score: fits(words, entry.text) }));
    return scored
      .filter(({ score }) => words.length === 0 || score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ entry: { id, text, created, sources } }) => ({
        id,
        text,
        created,
        ...(sources && { sources }),
      }));
  }

  async forget(user: string, id: string): Promise<boolean> {
    return (await this.#remove((entry) => entry.user === user && entry.id === id)) > 0;
  }

  erase(user: string): Promise<number> {
    return this.#remove((entry) => entry.user === user);
  }

  async prune(before: number, maxEntries: number): Promise<number> {
    const old = await this.#remove(({ created }) => Date.parse(created) < before);
    let gone: readonly Kept[] = [];
    await this.#change((kept) => {
      gone = surplus(kept, maxEntries);
      return kept.filter((entry) => !gone.includes(entry));
    });
    return old + gone.length;
  }

  async count(): Promise<number> {
    return (await this.#read()).length;
  }

  async #remove(isDoomed: (entry: Kept) => boolean): Promise<number> {
    let removed = 0;
    await this.#change((kept) => {
      const left = kept.filter((entry) => !isDoomed(entry));
      removed = kept.length - left.length;
      return left;
    });
    return removed;
  }

  async #read(): Promise<readonly Kept[]> {
    const text = await readFile(this.#file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return "[]";
    });
    return JSON.parse(text) as Kept[];
  }

  /** One change after the other, so that none is lost. */
  #change(next: (kept: readonly Kept[]) => readonly Kept[]): Promise<void> {
    const work = async (): Promise<void> => replaceFile(this.#file, JSON.stringify(next(await this.#read())));
    const done = this.#last.then(work, work);
    this.#last = done;
    return done;
  }
}
