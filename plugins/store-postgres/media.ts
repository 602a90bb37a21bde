import { createHash } from "node:crypto";
import { errors as shared, mediaBounds, type Media } from "@gantry/sdk";
import { mediaRef } from "@gantry/sdk/fill";
import type { TransactionSql } from "postgres";
import type { Database } from "./database.ts";
import { stored } from "./text.ts";

const hourMs = 3_600_000;
const sweepMs = hourMs;
/** The time for which media stay that nothing names: their turn may still run. */
const graceMs = 86_400_000;

/** Media stand in the database, since nodes share no folder. */
export function createMedia(db: Database): Media & { dropUnused(): Promise<void> } {
  let sweepAt = 0;
  const dropUnused = async (): Promise<void> => {
    sweepAt = Date.now() + sweepMs;
    await db.rows(
      `DELETE FROM media WHERE added < gantry_now() - $1::bigint
         AND NOT EXISTS (SELECT 1 FROM media_uses WHERE media_uses.id = media.id)`,
      graceMs,
    );
  };
  return {
    dropUnused,
    async put(bytes, facts) {
      const id = createHash("sha256").update(bytes).digest("hex");
      const ref = mediaRef(id, bytes, facts);
      const { user } = facts;
      if (Date.now() > sweepAt) await dropUnused();
      await db.transaction(async (sql) => {
        if (user) await countBrought(sql, user, bytes.length);
        const known = await sql`UPDATE media SET added = gantry_now() WHERE id = ${id} RETURNING 1`;
        if (known.length === 0)
          await sql`INSERT INTO media (id, added, bytes) VALUES (${id}, gantry_now(), ${bytes})
            ON CONFLICT (id) DO UPDATE SET added = excluded.added`;
      });
      return ref;
    },
    async open(id) {
      if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
      const [row] = await db.rows<{ bytes: Uint8Array }>("SELECT bytes FROM media WHERE id = $1", id);
      return row?.bytes;
    },
  };
}

/**
 * Counts what a person brings; throws MEDIA_TOO_MUCH where it is more than they may in this hour.
 */
async function countBrought(sql: TransactionSql, user: string, bytes: number): Promise<void> {
  const who = stored(user);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${who}, 7301995))`;
  await sql`DELETE FROM media_brought WHERE usr = ${who} AND at <= gantry_now() - ${hourMs}::bigint`;
  const [row] = await sql<{ sum: number }[]>`
    SELECT coalesce(sum(bytes), 0)::bigint AS sum FROM media_brought WHERE usr = ${who}`;
  if (row!.sum + bytes > mediaBounds.perHour) throw shared.MEDIA_TOO_MUCH(user, mediaBounds.perHour);
  await sql`INSERT INTO media_brought (usr, at, bytes) VALUES (${who}, gantry_now(), ${bytes})`;
}
