import type { Sql } from "./sql.ts";

/** For use inside a transaction. */
export function removeSession(sql: Sql, session: string): boolean {
  sql.run("DELETE FROM turns WHERE session = ?", session);
  sql.run("DELETE FROM views WHERE session = ?", session);
  sql.run("DELETE FROM session_shares WHERE session = ?", session);
  return sql.run("DELETE FROM sessions WHERE id = ?", session) > 0;
}
