import type { Memory, MemoryEntry } from "../../index.ts";
import { surplus } from "../../node/surplus.ts";

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

export type Entries = (MemoryEntry & { user: string })[];

export function memory(kept: { readonly entries: Entries; next: number }): Memory {
  const { entries } = kept;
  const removeAll = (doomed: readonly object[]): number => {
    for (const entry of doomed) entries.splice(entries.indexOf(entry as (typeof entries)[number]), 1);
    return doomed.length;
  };
  return {
    remember: async (user, text, sources) => {
      const entry = {
        id: String(kept.next++),
        text,
        created: new Date().toISOString(),
        ...(sources && { sources }),
      };
      entries.push({ ...entry, user });
      return entry;
    },
    recall: async (user, query, limit) => {
      const wanted = words(query);
      const score = (text: string): number => words(text).filter((word) => wanted.includes(word)).length;
      return entries
        .filter((entry) => entry.user === user && (wanted.length === 0 || score(entry.text) > 0))
        .toReversed()
        .toSorted((a, b) => score(b.text) - score(a.text))
        .slice(0, limit)
        .map(({ id, text, created, sources }) => ({ id, text, created, ...(sources && { sources }) }));
    },
    forget: async (user, id) =>
      removeAll(entries.filter((entry) => entry.user === user && entry.id === id)) > 0,
    prune: async (before, maxEntries) => {
      const old = removeAll(entries.filter(({ created }) => Date.parse(created) < before));
      return old + removeAll(surplus(entries, maxEntries));
    },
    count: async () => entries.length,
  };
}
