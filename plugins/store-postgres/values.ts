import type { Values } from "@gantry/sdk";
import type { ValueLife } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";
import { given, stored } from "./text.ts";

const live = "(expires IS NULL OR expires > gantry_now())";
const put = `INSERT INTO named AS n (space, key, value, expires)
  VALUES ($1, $2, $3, gantry_now() + $4::bigint) ON CONFLICT (space, key) DO UPDATE
  SET value = excluded.value, expires = excluded.expires`;
/** Behind every key that begins as what stands before it. */
const last = "\u{10ffff}";
const json = (value: unknown): string => JSON.stringify(value ?? null);
/** Null: for ever. */
const lifeOf = ({ forMs }: ValueLife = {}): number | null =>
  forMs === undefined ? null : Math.min(Math.ceil(forMs), Number.MAX_SAFE_INTEGER / 2);

export function createValues(db: Database): Values {
  const changed = async (text: string, ...values: (string | number | null)[]): Promise<boolean> =>
    (await db.rows(`${text} RETURNING 1`, ...values)).length > 0;
  const one = "space = $1 AND key = $2";
  return {
    async get<T>(space: string, key: string) {
      const text = `SELECT value FROM named WHERE ${one} AND ${live}`;
      const [row] = await db.rows<{ value: string }>(text, stored(space), stored(key));
      return row && (JSON.parse(row.value) as T);
    },
    async put(space, key, value, life) {
      await db.rows(put, stored(space), stored(key), json(value), lifeOf(life));
    },
    add(space, key, value, life) {
      const text = `${put} WHERE n.expires <= gantry_now()`;
      return changed(text, stored(space), stored(key), json(value), lifeOf(life));
    },
    async take<T>(space: string, key: string) {
      const [row] = await db.rows<{ value: string; live: boolean }>(
        `DELETE FROM named WHERE ${one} RETURNING value, ${live} AS live`,
        stored(space),
        stored(key),
      );
      return row?.live ? (JSON.parse(row.value) as T) : undefined;
    },
    remove: (space, key) => changed(`DELETE FROM named WHERE ${one} AND ${live}`, stored(space), stored(key)),
    removeIf(space, key, value) {
      const text = `DELETE FROM named WHERE ${one} AND value = $3 AND ${live}`;
      return changed(text, stored(space), stored(key), json(value));
    },
    async list<T>(
      space: string,
      { limit, prefix = "", after }: { limit: number; prefix?: string; after?: string },
    ) {
      const rows = await db.rows<{ key: string; value: string }>(
        `SELECT key, value FROM named WHERE space = $1 AND key >= $2 AND key < $3
           AND ($4::text IS NULL OR key > $4) AND ${live} ORDER BY key LIMIT $5`,
        stored(space),
        stored(prefix),
        `${stored(prefix)}${last}`,
        after === undefined ? null : stored(after),
        Math.max(0, limit),
      );
      return rows.map(({ key, value }) => ({ key: given(key), value: JSON.parse(value) as T }));
    },
  };
}
