import { having } from "../contract/shape.ts";
import { one } from "../contract/slot.ts";
import type { Sources } from "../tools/effects.ts";

export interface MemoryEntry {
  readonly id: string;
  readonly text: string;
  /** ISO 8601. */
  readonly created: string;
  /** The sources that it comes from, as they were given; absent if none were. */
  readonly sources?: Sources;
}

/** The agent's memories, by user. */
export interface Memory {
  /** `sources` are kept with the text, since whoever recalls it takes them in. */
  remember(user: string, text: string, sources?: Sources): Promise<MemoryEntry>;
  /**
   * Searches full text, best first. Any text is valid; one without a word gives all, newest first.
   */
  recall(user: string, query: string, limit: number): Promise<readonly MemoryEntry[]>;
  forget(user: string, id: string): Promise<boolean>;
  /**
   * Drops what is older than `before` (Unix ms) and what is beyond `maxEntries` in all, the oldest
   * of whoever holds most; gives how many.
   */
  prune(before: number, maxEntries: number): Promise<number>;
  count(): Promise<number>;
}

/**
 * A memory in place of the store's, such as one that searches by meaning. Who fills it keeps its
 * promises: by user, on disk when the promise resolves, nothing left of a person who is erased.
 */
export interface OwnMemory extends Memory {
  /** Removes all of one person; returns how many there were. */
  erase(user: string): Promise<number>;
}
export const OwnMemory = one<OwnMemory>(
  "memory",
  having("remember", "recall", "forget", "prune", "count", "erase"),
);
