import type { Memory, MemoryEntry, Sources } from "@gantry/sdk";
import { isCut, lookedAt, ranked } from "../shared/search-ranking.ts";
import { queryWords, splitWords } from "../shared/search-words.ts";
import type { Database } from "./database.ts";
import { given, stored } from "./text.ts";

interface Row {
  readonly no: number;
  readonly text: string;
  readonly created: number;
  readonly sources: string | null;
}

const columns = "SELECT no, text, created, sources FROM memory WHERE usr = $1";
/** The oldest of whoever holds the most come first. */
const fullestFirst = `SELECT usr, no FROM (
  SELECT usr, no, created, row_number() OVER (PARTITION BY usr ORDER BY created DESC, no DESC) AS place
  FROM memory) AS placed ORDER BY place DESC, created, no LIMIT $1`;

/** Each entry has the next number of its person, which is its id. */
export function createMemory(db: Database): Memory {
  const count = async (): Promise<number> => {
    const [row] = await db.rows<{ n: number }>("SELECT count(*) AS n FROM memory");
    return row?.n ?? 0;
  };
  const found = async (user: string, words: readonly (readonly string[])[], limit: number) => {
    const wanted = { usr: stored(user), words, limit };
    return (await db.ask<readonly (readonly number[])[]>("gantry_found", wanted)) ?? [];
  };

  return {
    async remember(user, text, sources) {
      const { no, created } = await db.call<{ no: number; created: number }>("gantry_remember", {
        usr: stored(user),
        text: stored(text),
        words: splitWords(text).map(plain),
        sources: sources && JSON.stringify(sources),
      });
      const kept = { no, created, text: stored(text) };
      return entryOf({ ...kept, sources: sources === undefined ? null : JSON.stringify(sources) });
    },
    async recall(user, query, limit) {
      const most = Math.max(0, limit);
      const words = queryWords(query).map(plain);
      if (words.length === 0) {
        const newest = `${columns} ORDER BY no DESC LIMIT $2`;
        return (await db.rows<Row>(newest, stored(user), most)).map(entryOf);
      }
      const each = await found(
        user,
        words.map((word) => [word]),
        lookedAt,
      );
      const [all = []] = isCut(each) ? await found(user, [words], Math.max(most, lookedAt)) : [];
      const best = ranked(each, all, most);
      const text = `${columns} AND no IN (SELECT jsonb_array_elements_text($2::text::jsonb)::int)`;
      const rows = await db.rows<Row>(text, stored(user), JSON.stringify(best));
      const byNo = new Map(rows.map((row) => [row.no, row]));
      // What was forgotten meanwhile is left out.
      return best.flatMap((no) => (byNo.has(no) ? [entryOf(byNo.get(no)!)] : []));
    },
    async forget(user, id) {
      if (!/^[1-9]\d{0,8}$/.test(id)) return false;
      const text = "DELETE FROM memory WHERE usr = $1 AND no = $2 RETURNING 1";
      return (await db.rows(text, stored(user), Number(id))).length > 0;
    },
    async prune(before, maxEntries) {
      const old = await db.rows("DELETE FROM memory WHERE created < $1 RETURNING 1", Math.ceil(before));
      const surplus = (await count()) - Math.max(0, maxEntries);
      if (surplus <= 0) return old.length;
      const most = `DELETE FROM memory WHERE (usr, no) IN (${fullestFirst}) RETURNING 1`;
      return old.length + (await db.rows(most, surplus)).length;
    },
    count,
  };
}

/** Without accents, as the word is searched; the same as {@link queryWords} otherwise. */
function plain(word: string): string {
  return stored(word.normalize("NFD").replace(/\p{M}/gu, "") || word);
}

function entryOf({ no, text, created, sources }: Row): MemoryEntry {
  return {
    id: String(no),
    text: given(text),
    created: new Date(created).toISOString(),
    ...(sources !== null && { sources: JSON.parse(sources) as Sources }),
  };
}
