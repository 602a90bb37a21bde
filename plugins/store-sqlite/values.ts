import type { ValueLife, ValuePage } from "@gantry/sdk/fill";
import type { Values } from "@gantry/sdk";
import type { MachineClock } from "./clock.ts";
import type { Database } from "./database.ts";

const LIVE = "(expires IS NULL OR expires > ?)";
const PUT =
  "INSERT INTO named (space, key, value, expires) VALUES (?, ?, ?, ?) ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, expires = excluded.expires";

/** Behind every key that begins as what stands before it. */
const LAST = "\u{10ffff}";

export function createValues(db: Database, clock: MachineClock): Values {
  const now = (): number => clock.now();
  const expiry = ({ forMs }: ValueLife = {}): number | null =>
    forMs === undefined ? null : Math.ceil(now() + forMs);
  return {
    async get<T>(space: string, key: string) {
      const row = await db.read((sql) =>
        sql.get<{ value: string }>(
          `SELECT value FROM named WHERE space = ? AND key = ? AND ${LIVE}`,
          space,
          key,
          now(),
        ),
      );
      return row && (JSON.parse(row.value) as T);
    },
    async put(space, key, value, life) {
      const text = JSON.stringify(value ?? null);
      await db.commit((sql) => sql.run(PUT, space, key, text, expiry(life)));
    },
    async add(space, key, value, life) {
      const text = JSON.stringify(value ?? null);
      return db.commit(
        (sql) => sql.run(`${PUT} WHERE NOT ${LIVE}`, space, key, text, expiry(life), now()) > 0,
      );
    },
    async take<T>(space: string, key: string) {
      const row = await db.commit((sql) =>
        sql.get<{ value: string; expires: number | null }>(
          "DELETE FROM named WHERE space = ? AND key = ? RETURNING value, expires",
          space,
          key,
        ),
      );
      return row && (row.expires ?? Infinity) > now() ? (JSON.parse(row.value) as T) : undefined;
    },
    remove(space, key) {
      return db.commit(
        (sql) => sql.run(`DELETE FROM named WHERE space = ? AND key = ? AND ${LIVE}`, space, key, now()) > 0,
      );
    },
    removeIf(space, key, value) {
      const text = JSON.stringify(value ?? null);
      return db.commit(
        (sql) =>
          sql.run(
            `DELETE FROM named WHERE space = ? AND key = ? AND value = ? AND ${LIVE}`,
            space,
            key,
            text,
            now(),
          ) > 0,
      );
    },
    async list<T>(space: string, { limit, prefix = "", after }: ValuePage) {
      const rows = await db.read((sql) =>
        sql.all<{ key: string; value: string }>(
          `SELECT key, value FROM named
           WHERE space = ? AND key >= max(?, ?) AND key IS NOT ? AND key < ? AND ${LIVE} ORDER BY key LIMIT ?`,
          space,
          prefix,
          after ?? "",
          after ?? null,
          `${prefix}${LAST}`,
          now(),
          Math.max(0, limit),
        ),
      );
      return rows.map(({ key, value }) => ({ key, value: JSON.parse(value) as T }));
    },
  };
}
