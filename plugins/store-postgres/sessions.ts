import { errors as shared, type ChatMessage } from "@gantry/sdk";
import { turnsToShow, type Sessions } from "@gantry/sdk/fill";
import type { TransactionSql } from "postgres";
import type { Database } from "./database.ts";
import { given, stored } from "./text.ts";
import { turnRow } from "./turn-row.ts";

interface View {
  readonly generation: number;
  readonly through: number;
  readonly base: string;
}

const noView: View = { generation: 0, through: 0, base: "[]" };
const viewText = "SELECT generation, through, base FROM views WHERE session = $1";

/** `dropUnused` takes away media that no conversation names any more. */
export function createSessions(db: Database, dropUnused: () => Promise<void>): Sessions {
  const viewOf = async (session: string): Promise<View> =>
    (await db.rows<View>(viewText, session))[0] ?? noView;
  return {
    async access(session) {
      const [row] = await db.rows<{ owner: string | null; shares: string }>(
        `SELECT owner, (SELECT coalesce(json_agg(usr ORDER BY usr), '[]') FROM session_shares
           WHERE session = id)::text AS shares FROM sessions WHERE id = $1`,
        stored(session),
      );
      if (!row) return undefined;
      const owner = row.owner === null ? undefined : given(row.owner);
      return { owner, sharedWith: (JSON.parse(row.shares) as string[]).map(given) };
    },
    async open(session, user) {
      const [row] = await db.rows<{ owner: string }>(
        `INSERT INTO sessions (id, turns, updated, owner) VALUES ($1, 0, gantry_now(), $2)
         ON CONFLICT (id) DO UPDATE SET owner = coalesce(sessions.owner, excluded.owner)
         RETURNING owner`,
        stored(session),
        stored(user),
      );
      return given(row!.owner);
    },
    async share(session, user) {
      const rows = await db.rows(
        `INSERT INTO session_shares (session, usr) SELECT id, $2::text FROM sessions WHERE id = $1
         ON CONFLICT (session, usr) DO UPDATE SET usr = excluded.usr RETURNING 1`,
        stored(session),
        stored(user),
      );
      return rows.length > 0;
    },
    async unshare(session, user) {
      const text = "DELETE FROM session_shares WHERE session = $1 AND usr = $2 RETURNING 1";
      return (await db.rows(text, stored(session), stored(user))).length > 0;
    },
    async append(session, turn, lease) {
      const row = {
        ...turnRow(session, turn),
        ...(lease && { lane: stored(lease.lane), token: lease.token }),
      };
      const isKept = await db.call<boolean>("gantry_append_turn", row);
      if (!isKept) throw shared.LEASE_LOST(lease!.lane);
    },
    async view(session, most) {
      const { generation, base, through } = await viewOf(stored(session));
      const rows = await turnsOf(db, session, most, through);
      const shown = rows.slice(rows.length - turnsToShow(rows[0]?.all ?? 0, most));
      return {
        generation,
        base: JSON.parse(base) as ChatMessage[],
        turns: shown.map(({ messages }) => JSON.parse(messages) as ChatMessage[]),
      };
    },
    compact: (session, generation, base) =>
      db.transaction((sql) => compact(sql, stored(session), generation, JSON.stringify(base))),
    rewind: (session) => db.transaction((sql) => rewind(sql, stored(session))),
    rename: (session, to) => db.transaction((sql) => rename(sql, stored(session), stored(to))),
    async recent(session, turns) {
      const rows = await turnsOf(db, session, Math.max(0, turns), 0);
      return rows.flatMap(({ messages }) => JSON.parse(messages) as ChatMessage[]);
    },
    async list(limit) {
      const rows = await db.rows<{ id: string; turns: number; updated: number; owner: string | null }>(
        `SELECT id, turns, updated, owner FROM sessions WHERE turns > 0
         ORDER BY updated DESC LIMIT $1`,
        Math.max(0, limit),
      );
      return rows.map(({ id, turns, updated, owner }) => ({
        id: given(id),
        turns,
        updated: new Date(updated).toISOString(),
        ...(owner !== null && { owner: given(owner) }),
      }));
    },
    async remove(session) {
      const rows = await db.rows("DELETE FROM sessions WHERE id = $1 RETURNING 1", stored(session));
      await dropUnused();
      return rows.length > 0;
    },
  };
}

/** The last ones behind `through`, oldest first, and how many there are in all. */
async function turnsOf(
  db: Database,
  session: string,
  most: number,
  through: number,
): Promise<readonly { readonly messages: string; readonly all: number }[]> {
  const rows = await db.rows<{ messages: string; all: number }>(
    `SELECT messages, (SELECT count(*) FROM turns WHERE session = $1 AND id > $3) AS all
     FROM turns WHERE session = $1 AND id > $3 ORDER BY id DESC LIMIT $2`,
    stored(session),
    Math.min(most, Number.MAX_SAFE_INTEGER),
    through,
  );
  return rows.toReversed();
}

async function compact(
  sql: TransactionSql,
  session: string,
  generation: number,
  base: string,
): Promise<boolean> {
  const rows = await sql`
    INSERT INTO views AS v (session, generation, through, base)
    SELECT ${session}, ${generation} + 1,
      coalesce((SELECT max(id) FROM turns WHERE session = ${session}), 0), ${base}
    WHERE ${generation}::int = 0 OR EXISTS (SELECT 1 FROM views WHERE session = ${session})
    ON CONFLICT (session) DO UPDATE SET generation = excluded.generation,
      through = excluded.through, base = excluded.base
      WHERE v.generation = ${generation}::int RETURNING 1`;
  return rows.length > 0;
}

async function rewind(sql: TransactionSql, session: string): Promise<boolean> {
  // Two at once would each take the same turn.
  await sql`SELECT 1 FROM sessions WHERE id = ${session} FOR UPDATE`;
  const taken = await sql`
    DELETE FROM turns WHERE id = (SELECT max(id) FROM turns WHERE session = ${session})
      AND id > coalesce((SELECT through FROM views WHERE session = ${session}), 0) RETURNING 1`;
  if (taken.length === 0) return false;
  await sql`UPDATE sessions SET turns = turns - 1 WHERE id = ${session}`;
  return true;
}

async function rename(sql: TransactionSql, session: string, to: string): Promise<boolean> {
  const renamed = await sql`
    UPDATE sessions SET id = ${to} WHERE id = ${session}
      AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = ${to}) RETURNING 1`;
  if (renamed.length === 0) return false;
  for (const table of ["turns", "views", "session_shares"])
    await sql`UPDATE ${sql(table)} SET session = ${to} WHERE session = ${session}`;
  await sql`UPDATE media_uses SET holder = ${`s:${to}`} WHERE holder = ${`s:${session}`}`;
  return true;
}
