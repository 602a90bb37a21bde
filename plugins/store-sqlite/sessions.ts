import { errors as shared, type ChatMessage } from "@gantry/sdk";
import { mediaIn, turnsToShow, type Sessions } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";
import { useMedia } from "./media-rows.ts";
import { pageOf, summaryOf, type SummaryRow } from "./session-page.ts";
import { removeSession } from "./session-rows.ts";
import type { Sql } from "./sql.ts";

/**
 * Adds one turn, where there is anything in it; for use inside a transaction. `owner` counts where
 * the conversation has none.
 */
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
      // Not synced: whatever is kept of the conversation is written behind it, into the same log.
      const text = `INSERT INTO sessions (id, turns, updated, owner) VALUES (?, 0, ?, ?)
        ON CONFLICT (id) DO UPDATE SET owner = ifnull(owner, excluded.owner) RETURNING owner`;
      return db.write((sql) => sql.get<{ owner: string }>(text, session, Date.now(), user)!.owner);
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
    async append(session, turn, lease) {
      await db.commit((sql) => {
        if (lease && !sql.get("SELECT 1 FROM lanes WHERE lane = ? AND holder = ?", lease.lane, lease.token))
          throw shared.LEASE_LOST(lease.lane);
        appendTurn(sql, session, turn);
      });
    },
    async view(session, most) {
      return db.read((sql) => {
        const view = viewOf(sql, session);
        const { n } = sql.get<{ n: number }>(
          "SELECT count(*) AS n FROM turns WHERE session = ? AND id > ?",
          session,
          view.through,
        )!;
        const { generation, base } = view;
        const turns = lastTurns(sql, session, turnsToShow(n, most));
        return { generation, base: JSON.parse(base) as ChatMessage[], turns };
      });
    },
    compact(session, generation, base) {
      return db.commit((sql) => {
        if (viewOf(sql, session).generation !== generation) return false;
        sql.run(
          `INSERT INTO views (session, generation, through, base)
           VALUES (?, ?, ifnull((SELECT max(id) FROM turns WHERE session = ?), 0), ?) ON CONFLICT (session) DO UPDATE
           SET generation = excluded.generation, through = excluded.through, base = excluded.base`,
          session,
          generation + 1,
          session,
          JSON.stringify(base),
        );
        return true;
      });
    },
    rewind(session) {
      return db.commit((sql) => {
        const taken = sql.run(
          "DELETE FROM turns WHERE id = (SELECT max(id) FROM turns WHERE session = ?) AND id > ?",
          session,
          viewOf(sql, session).through,
        );
        if (taken > 0) sql.run("UPDATE sessions SET turns = turns - 1 WHERE id = ?", session);
        return taken > 0;
      });
    },
    rename(session, to) {
      return db.commit((sql) => {
        if (sql.get("SELECT 1 FROM sessions WHERE id = ?", to)) return false;
        if (sql.run("UPDATE sessions SET id = ? WHERE id = ?", to, session) === 0) return false;
        for (const table of ["turns", "views", "session_shares"])
          sql.run(`UPDATE ${table} SET session = ? WHERE session = ?`, to, session);
        sql.run("UPDATE media_uses SET holder = ? WHERE holder = ?", `s:${to}`, `s:${session}`);
        return true;
      });
    },
    async recent(session, turns) {
      return (await db.read((sql) => lastTurns(sql, session, Math.max(0, turns)))).flat();
    },
    async list(limit) {
      const rows = await db.read((sql) =>
        sql.all<SummaryRow>(
          "SELECT id, turns, updated, owner FROM sessions WHERE turns > 0 ORDER BY updated DESC LIMIT ?",
          Math.max(0, limit),
        ),
      );
      return rows.map(summaryOf);
    },
    async page(want) {
      return (await db.read((sql) => pageOf(sql, want))).map(summaryOf);
    },
    async remove(session) {
      const removed = await db.commit((sql) => removeSession(sql, session));
      await dropUnused();
      return removed;
    },
  };
}

interface ViewRow {
  readonly generation: number;
  readonly through: number;
  readonly base: string;
}

function viewOf(sql: Sql, session: string): ViewRow {
  const row = sql.get<ViewRow>("SELECT generation, through, base FROM views WHERE session = ?", session);
  return row ?? { generation: 0, through: 0, base: "[]" };
}

/** Oldest first. */
function lastTurns(sql: Sql, session: string, count: number): ChatMessage[][] {
  return sql
    .all<{ messages: string }>(
      "SELECT messages FROM turns WHERE session = ? ORDER BY id DESC LIMIT ?",
      session,
      count,
    )
    .toReversed()
    .map(({ messages }) => JSON.parse(messages) as ChatMessage[]);
}
