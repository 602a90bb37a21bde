import type { Sql } from "./sql.ts";
import { isCut, lookedAt, ranked } from "../shared/search-ranking.ts";
import { queryWords } from "../shared/search-words.ts";

/**
 * Ids between `from` and `to` that fit a query, best first. The work is bounded for any query and
 * any number of entries, which the index's own ranking is not: it visits every entry that holds any
 * of the words. Without a word: the newest entries.
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
  const found = words.map((word) => newestWith(sql, word, from, to, lookedAt));
  const all = words.join(" AND ");
  const withAll = isCut(found) ? newestWith(sql, all, from, to, Math.max(limit, lookedAt)) : [];
  return ranked(found, withAll, limit);
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
