import type { Sql } from "./sql.ts";

/** Media that nothing names stay this long: their turn may still run. */
const graceMs = 86_400_000;
const hourMs = 3_600_000;

/** A holder (`s:` a session, `m:` a message) names these media from now on. */
export function useMedia(sql: Sql, holder: string, ids: readonly string[]): void {
  for (const id of ids)
    sql.run("INSERT INTO media_uses (holder, id) VALUES (?, ?) ON CONFLICT DO NOTHING", holder, id);
}

export function addMedia(sql: Sql, id: string, now: number): void {
  sql.run(
    "INSERT INTO media (id, added) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET added = excluded.added",
    id,
    now,
  );
}

/**
 * Counts what a person brings; false, and nothing counted, where it would be more than `most` in
 * this hour.
 */
export function countBrought(sql: Sql, user: string, bytes: number, most: number, now: number): boolean {
  sql.run("DELETE FROM media_brought WHERE at <= ?", now - hourMs);
  const { sum } = sql.get<{ sum: number | null }>(
    "SELECT sum(bytes) AS sum FROM media_brought WHERE user = ?",
    user,
  )!;
  if ((sum ?? 0) + bytes > most) return false;
  sql.run("INSERT INTO media_brought (user, at, bytes) VALUES (?, ?, ?)", user, now, bytes);
  return true;
}

/** Forgets what nothing names; gives the ids, whose bytes can go. */
export function forgetUnused(sql: Sql, now: number): readonly string[] {
  return sql
    .all<{ id: string }>(
      "DELETE FROM media WHERE added < ? AND NOT EXISTS (SELECT 1 FROM media_uses WHERE media_uses.id = media.id) RETURNING id",
      now - graceMs,
    )
    .map(({ id }) => id);
}

export function isKept(sql: Sql, id: string): boolean {
  return sql.get("SELECT 1 FROM media WHERE id = ?", id) !== undefined;
}
