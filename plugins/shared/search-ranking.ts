/**
 * The number of entries that are read for one word, the newest first; a word that more of them hold
 * says little.
 */
export const lookedAt = 500;

/**
 * Ranks the ids of entries that fit a query, best first: an entry is worth the rarity of the
 * query's words that it holds, and of equals the newest comes first. `found` has for each word the
 * ids of the newest entries with it, at most {@link lookedAt}; `withAll` has those of entries with
 * all words, which may be older than those that were looked at.
 */
export function ranked(
  found: readonly (readonly number[])[],
  withAll: readonly number[],
  limit: number,
): readonly number[] {
  const worth = new Map<number, number>();
  let all = 0;
  for (const ids of found) {
    if (ids.length === 0) continue;
    const rarity = Math.log((2 * lookedAt) / ids.length);
    for (const id of ids) worth.set(id, (worth.get(id) ?? 0) + rarity);
    all += rarity;
  }
  for (const id of withAll) worth.set(id, all);
  return [...worth]
    .toSorted(([a, worthOfA], [b, worthOfB]) => worthOfB - worthOfA || b - a)
    .slice(0, limit)
    .map(([id]) => id);
}

/** Returns true if a word was found so often that entries with all words have to be asked for. */
export function isCut(found: readonly (readonly number[])[]): boolean {
  return found.some((ids) => ids.length === lookedAt);
}
