import type { Sql } from "./sql.ts";

/** Removes a conversation with what plugins keep of what was said; for use inside a transaction. */
export function removeSession(sql: Sql, session: string): boolean {
  const turns = sql.run("DELETE FROM turns WHERE session = ?", session);
  if (turns > 0) removeValues(sql, session);
  sql.run("DELETE FROM views WHERE session = ?", session);
  sql.run("DELETE FROM session_shares WHERE session = ?", session);
  return sql.run("DELETE FROM sessions WHERE id = ?", session) > 0;
}

/** Removes the values that go with a conversation; for use inside a transaction. */
export function removeValues(sql: Sql, session: string): void {
  sql.run("DELETE FROM named WHERE space LIKE 'session-%' AND key = ?", session);
}
