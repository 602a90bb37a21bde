import type { Values } from "@gantry/sdk";
import type { Database } from "./database.ts";

const LIVE = "(expires IS NULL OR expires > ?)";
const PUT =
  "INSERT INTO named (space, key, value, expires) VALUES (?, ?, ?, ?) ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, expires = excluded.expires";

const whole = (expires: number | undefined): number | null =>
  expires === undefined ? null : Math.ceil(expires);

export function createValues(db: Database): Values {
  return {
    async get<T>(space: string, key: string) {
      const row = await db.read((sql) =>
        sql.get<{ value: string }>(
          `SELECT value FROM named WHERE space = ? AND key = ? AND ${LIVE}`,
          space,
          key,
          Date.now(),
        ),
      );
      return row && (JSON.parse(row.value) as T);
    },
    async put(space, key, value, expires) {
      const text = JSON.stringify(value ?? null);
      await db.commit((sql) => sql.run(PUT, space, key, text, whole(expires)));
    },
    async add(space, key, value, expires) {
      const text = JSON.stringify(value ?? null);
      return db.commit(
        (sql) => sql.run(`${PUT} WHERE NOT ${LIVE}`, space, key, text, whole(expires), Date.now()) > 0,
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
      return row && (row.expires ?? Infinity) > Date.now() ? (JSON.parse(row.value) as T) : undefined;
    },
    remove(space, key) {
      return db.commit(
        (sql) =>
          sql.run(`DELETE FROM named WHERE space = ? AND key = ? AND ${LIVE}`, space, key, Date.now()) > 0,
      );
    },
    async list<T>(space: string) {
      const rows = await db.read((sql) =>
        sql.all<{ key: string; value: string }>(
          `SELECT key, value FROM named WHERE space = ? AND ${LIVE} ORDER BY key`,
          space,
          Date.now(),
        ),
      );
      return rows.map(({ key, value }) => ({ key, value: JSON.parse(value) as T }));
    },
  };
}
