import type { Sql } from "./sql.ts";
import { queryWords } from "./words.ts";

/** How many entries are looked at for one word, the newest first; a word that more of them hold says little. */
const LOOKED_AT = 500;

/**
 * Ids between `from` and `to` that fit a query, best first: an entry is worth the rarity of the query's words that it
 * holds, and of equals the newest comes first. The work is bounded for any query and any number of entries, which the
 * index's own ranking is not: it visits every entry that holds any of the words. Without a word: the newest entries.
 */
export function bestMatches(
  sql: Sql,
  from: number,
  to: number,
  query: string,
  limit: number,
): readonly number[] {
  const words = queryWords(query).map((word) => `"${word}"`);
  if (words.length === 0) {
    return sql
      .all<{ id: number }>(
        "SELECT id FROM memory WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?",
        from,
        to,
        limit,
      )
      .map(({ id }) => id);
  }
  const worth = new Map<number, number>();
  let all = 0;
  let cut = false;
  for (const word of words) {
    const ids = newestWith(sql, word, from, to, LOOKED_AT);
    if (ids.length === 0) continue;
    const rarity = Math.log((2 * LOOKED_AT) / ids.length);
    for (const id of ids) worth.set(id, (worth.get(id) ?? 0) + rarity);
    all += rarity;
    cut ||= ids.length === LOOKED_AT;
  }
  // Entries with all of the words may be older than those that were looked at.
  if (cut)
    for (const id of newestWith(sql, words.join(" AND "), from, to, Math.max(limit, LOOKED_AT)))
      worth.set(id, all);
  return [...worth]
    .toSorted(([a, worthOfA], [b, worthOfB]) => worthOfB - worthOfA || b - a)
    .slice(0, limit)
    .map(([id]) => id);
}

function newestWith(sql: Sql, match: string, from: number, to: number, limit: number): readonly number[] {
  const { ids } = sql.get<{ ids: string }>(
    `SELECT json_group_array(id) AS ids FROM (
       SELECT rowid AS id FROM memory_words WHERE memory_words MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid DESC LIMIT ?)`,
    match,
    from,
    to,
    limit,
  )!;
  return JSON.parse(ids) as number[];
}
