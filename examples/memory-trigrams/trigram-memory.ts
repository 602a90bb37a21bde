import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { MemoryEntry, OwnMemory, Sources } from "@gantry/sdk";
import { replaceFile, surplus } from "@gantry/sdk/node";

interface Kept extends MemoryEntry {
  readonly user: string;
}

/** The letters of a text three by three: what stands in place of a vector, and needs no model. */
function threesOf(text: string): ReadonlySet<string> {
  const letters = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
  return new Set(Array.from({ length: letters.length - 2 }, (_, i) => letters.slice(i, i + 3)));
}

/** Returns the share of the wanted text that is there, from 0 to 1. */
function likeness(wanted: ReadonlySet<string>, there: ReadonlySet<string>): number {
  return [...wanted].filter((three) => there.has(three)).length / wanted.size;
}

function none(error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") throw error;
  return "[]";
}

const leastLikeness = 0.2;

/** All memories in one file, replaced whole; each promise means that it is on disk. */
export class TrigramMemory implements OwnMemory {
  readonly #file: string;
  #entries: Promise<Kept[]> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async remember(user: string, text: string, sources?: Sources): Promise<MemoryEntry> {
    const entry = { id: randomUUID(), text, created: new Date().toISOString(), ...(sources && { sources }) };
    await this.#change((entries) => [...entries, { ...entry, user }]);
    return entry;
  }

  async recall(user: string, query: string, limit: number): Promise<readonly MemoryEntry[]> {
    const wanted = threesOf(query);
    // The newest first, also of those of one millisecond: sorting keeps the order of equals.
    const own = (await this.#read()).filter((entry) => entry.user === user).toReversed();
    const isEmpty = query.trim() === "";
    return own
      .map((entry) => ({
        entry,
        score: isEmpty ? Date.parse(entry.created) : likeness(wanted, threesOf(entry.text)),
      }))
      .filter(({ score }) => score > leastLikeness)
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
    const beyond = new Set(surplus(await this.#read(), maxEntries));
    return old + (await this.#remove((entry) => beyond.has(entry)));
  }

  async count(): Promise<number> {
    return (await this.#read()).length;
  }

  async #remove(isDoomed: (entry: Kept) => boolean): Promise<number> {
    const before = await this.count();
    await this.#change((entries) => entries.filter((entry) => !isDoomed(entry)));
    return before - (await this.count());
  }

  #read(): Promise<Kept[]> {
    return (this.#entries ??= readFile(this.#file, "utf8")
      .catch(none)
      .then((text) => JSON.parse(text) as Kept[]));
  }

  /** One change after the other; memory and file are the same again before the next. */
  #change(next: (entries: readonly Kept[]) => Kept[]): Promise<void> {
    const work = async (): Promise<void> => {
      const entries = next(await this.#read());
      await replaceFile(this.#file, JSON.stringify(entries));
      this.#entries = Promise.resolve(entries);
    };
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}
