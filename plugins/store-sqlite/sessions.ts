import { mediaIn, type ChatMessage, type Sessions } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { useMedia } from "./media-rows.ts";
import type { Sql } from "./sql.ts";

/** Adds one turn, where there is anything in it; for use inside a transaction. `owner` counts where the conversation has none. */
export function appendTurn(
  sql: Sql,
  session: string,
  turn: readonly ChatMessage[],
  owner: string | null = null,
): void {
  if (turn.length === 0) return;
  sql.run("INSERT INTO turns (session, messages) VALUES (?, ?)", session, JSON.stringify(turn));
  sql.run(
    `INSERT INTO sessions (id, turns, updated, owner) VALUES (?, 1, ?, ?) ON CONFLICT (id) DO UPDATE SET
     turns = turns + 1, updated = excluded.updated, owner = ifnull(owner, excluded.owner)`,
    session,
    Date.now(),
    owner,
  );
  useMedia(sql, `s:${session}`, mediaIn(turn));
}

/** `dropUnused` takes away what no conversation names any more. */
export function createSessions(db: Database, dropUnused: () => Promise<void>): Sessions {
  return {
    access(session) {
      return db.read((sql) => {
        const row = sql.get<{ owner: string | null }>("SELECT owner FROM sessions WHERE id = ?", session);
        if (!row) return undefined;
        const shares = sql.all<{ user: string }>(
          "SELECT user FROM session_shares WHERE session = ? ORDER BY user",
          session,
        );
        return { owner: row.owner ?? undefined, sharedWith: shares.map(({ user }) => user) };
      });
    },
    open(session, user) {
      return db.commit((sql) => {
        sql.run(
          `INSERT INTO sessions (id, turns, updated, owner) VALUES (?, 0, ?, ?)
           ON CONFLICT (id) DO UPDATE SET owner = ifnull(owner, excluded.owner)`,
          session,
          Date.now(),
          user,
        );
        return sql.get<{ owner: string }>("SELECT owner FROM sessions WHERE id = ?", session)!.owner;
      });
    },
    share(session, user) {
      return db.commit((sql) => {
        if (!sql.get("SELECT 1 FROM sessions WHERE id = ?", session)) return false;
        sql.run(
          "INSERT INTO session_shares (session, user) VALUES (?, ?) ON CONFLICT DO NOTHING",
          session,
          user,
        );
        return true;
      });
    },
    unshare(session, user) {
      const text = "DELETE FROM session_shares WHERE session = ? AND user = ?";
      return db.commit((sql) => sql.run(text, session, user) > 0);
    },
    async append(session, turn) {
      await db.commit((sql) => appendTurn(sql, session, turn));
    },
    async recent(session, turns) {
      const rows = await db.read((sql) =>
        sql.all<{ messages: string }>(
          "SELECT messages FROM turns WHERE session = ? ORDER BY id DESC LIMIT ?",
          session,
          Math.max(0, turns),
        ),
      );
      return rows.toReversed().flatMap(({ messages }) => JSON.parse(messages) as ChatMessage[]);
    },
    async list(limit) {
      const rows = await db.read((sql) =>
        sql.all<{ id: string; turns: number; updated: number; owner: string | null }>(
          "SELECT id, turns, updated, owner FROM sessions WHERE turns > 0 ORDER BY updated DESC LIMIT ?",
          Math.max(0, limit),
        ),
      );
      return rows.map(({ id, turns, updated, owner }) => ({
        id,
        turns,
        updated: new Date(updated).toISOString(),
        ...(owner !== null && { owner }),
      }));
    },
    async remove(session) {
      const removed = await db.commit((sql) => {
        sql.run("DELETE FROM turns WHERE session = ?", session);
        sql.run("DELETE FROM session_shares WHERE session = ?", session);
        return sql.run("DELETE FROM sessions WHERE id = ?", session) > 0;
      });
      await dropUnused();
      return removed;
    },
  };
}
