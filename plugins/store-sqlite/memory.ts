import type { Memory, MemoryEntry, Sources } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { bestMatches } from "./recall.ts";
import type { Sql } from "./sql.ts";
import { indexed } from "../shared/search-words.ts";

/**
 * Each user has a range of row ids, so that a search of the index stays in it; the id that people
 * see counts from its start.
 */
const RANGE = 2 ** 32;

/** The oldest of whoever holds the most come first. */
const fullestFirst = `SELECT id FROM (
  SELECT id, created, row_number() OVER (PARTITION BY id / ${RANGE} ORDER BY created DESC, id DESC) AS place FROM memory
) ORDER BY place DESC, created, id LIMIT ?`;

export function createMemory(db: Database): Memory {
  return {
    remember(user, text, sources) {
      const created = Date.now();
      return db.commit((sql) => {
        const { no, last } = sql.get<{ no: number; last: number }>(
          "INSERT INTO memory_users (user, last) VALUES (?, 1) ON CONFLICT (user) DO UPDATE SET last = last + 1 RETURNING no, last",
          user,
        )!;
        const id = no * RANGE + last;
        const held = sources === undefined ? null : JSON.stringify(sources);
        sql.run(
          "INSERT INTO memory (id, text, created, sources) VALUES (?, ?, ?, ?)",
          id,
          text,
          created,
          held,
        );
        sql.run("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", id, indexed(text));
        return entry(sql, id);
      });
    },
    recall(user, query, limit) {
      return db.read((sql) => {
        // Whoever has none is searched for too: an index that is broken must not pass for an empty
        // memory.
        const start = startOf(sql, user) ?? -RANGE;
        return bestMatches(sql, start, start + RANGE, query, Math.max(0, limit)).map((id) => entry(sql, id));
      });
    },
    async forget(user, id) {
      if (!/^[1-9]\d{0,9}$/.test(id) || Number(id) >= RANGE) return false;
      return db.commit((sql) => {
        const start = startOf(sql, user);
        return start !== undefined && drop(sql, "?", start + Number(id)) > 0;
      });
    },
    prune(before, maxEntries) {
      return db.commit((sql) => {
        const old = drop(sql, "SELECT id FROM memory WHERE created < ?", before);
        const surplus = count(sql) - Math.max(0, maxEntries);
        return old + (surplus > 0 ? drop(sql, fullestFirst, surplus) : 0);
      });
    },
    count() {
      return db.read(count);
    },
  };
}

/** All of one user's, for use inside a transaction; gives how many. */
export function forgetAll(sql: Sql, user: string): number {
  const start = startOf(sql, user);
  if (start === undefined) return 0;
  const theirs = `SELECT id FROM memory WHERE id BETWEEN ? AND ${start + RANGE - 1}`;
  const forgotten = drop(sql, theirs, start);
  sql.run("DELETE FROM memory_users WHERE user = ?", user);
  return forgotten;
}

function startOf(sql: Sql, user: string): number | undefined {
  const row = sql.get<{ no: number }>("SELECT no FROM memory_users WHERE user = ?", user);
  return row && row.no * RANGE;
}

function entry(sql: Sql, id: number): MemoryEntry {
  const { text, created, sources } = sql.get<{ text: string; created: number; sources: string | null }>(
    "SELECT text, created, sources FROM memory WHERE id = ?",
    id,
  )!;
  return {
    id: String(id % RANGE),
    text,
    created: new Date(created).toISOString(),
    ...(sources !== null && { sources: JSON.parse(sources) as Sources }),
  };
}

function count(sql: Sql): number {
  return sql.get<{ n: number }>("SELECT count(*) AS n FROM memory")!.n;
}

function drop(sql: Sql, which: string, value: number): number {
  sql.run(`DELETE FROM memory_words WHERE rowid IN (${which})`, value);
  return sql.run(`DELETE FROM memory WHERE id IN (${which})`, value);
}
