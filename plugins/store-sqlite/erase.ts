import type { Erased } from "@gantry/sdk/fill";
import { forget, moveHead } from "./lane-rows.ts";
import { forgetAll } from "./memory.ts";
import { removeSession, removeValues } from "./session-rows.ts";
import type { Sql } from "./sql.ts";

/**
 * A person's rows, in one transaction; for use inside one. That their messages were had is
 * remembered, so none comes again, and nothing of whose they were.
 */
export function erase(sql: Sql, user: string): Erased {
  const own = [user, `>${user}`] as const;
  const sessions = sql.all<{ id: string }>("SELECT id FROM sessions WHERE owner = ? OR id = ?", user, user);
  for (const { id } of sessions) {
    removeSession(sql, id);
    removeValues(sql, id);
  }
  const memories = forgetAll(sql, user);
  const messages = sql.all<{ seq: number; lane: string }>(
    "SELECT seq, lane FROM inbox WHERE message <> '' AND (user = ? OR lane IN (?, ?))",
    user,
    ...own,
  );
  for (const { seq, lane } of messages) {
    forget(sql, seq);
    moveHead(sql, lane);
  }
  sql.run(
    `UPDATE inbox SET user = '', reason = NULL, lane = iif(lane IN (?, ?), '', lane)
     WHERE message = '' AND (user = ? OR lane IN (?, ?))`,
    ...own,
    user,
    ...own,
  );
  sql.run("DELETE FROM lanes WHERE lane IN (?, ?) AND head IS NULL AND holder IS NULL", ...own);
  sql.run("UPDATE usage SET user = 'erased', session = '' WHERE user = ?", user);
  sql.run("DELETE FROM session_shares WHERE user = ?", user);
  sql.run("DELETE FROM media_brought WHERE user = ?", user);
  sql.run("DELETE FROM hits WHERE key LIKE ?", `%:${user.replace(/[%_]/g, "_")}`);
  return { sessions: sessions.length, memories, messages: messages.length };
}
