import type { ChatMessage, Sessions } from "@gantry/sdk";
import type { Database } from "./database.ts";
import type { Sql } from "./sql.ts";

/** Adds one turn, where there is anything in it; for use inside a transaction. */
export function appendTurn(sql: Sql, session: string, turn: readonly ChatMessage[], now: number): void {
  if (turn.length === 0) return;
  sql.run("INSERT INTO turns (session, messages) VALUES (?, ?)", session, JSON.stringify(turn));
  sql.run(
    "INSERT INTO sessions (id, turns, updated) VALUES (?, 1, ?) ON CONFLICT (id) DO UPDATE SET turns = turns + 1, updated = excluded.updated",
    session,
    now,
  );
}

export function createSessions(db: Database): Sessions {
  return {
    async append(session, turn) {
      await db.commit((sql) => appendTurn(sql, session, turn, Date.now()));
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
        sql.all<{ id: string; turns: number; updated: number }>(
          "SELECT id, turns, updated FROM sessions ORDER BY updated DESC LIMIT ?",
          Math.max(0, limit),
        ),
      );
      return rows.map(({ id, turns, updated }) => ({ id, turns, updated: new Date(updated).toISOString() }));
    },
    remove(session) {
      return db.commit((sql) => {
        sql.run("DELETE FROM turns WHERE session = ?", session);
        return sql.run("DELETE FROM sessions WHERE id = ?", session) > 0;
      });
    },
  };
}
