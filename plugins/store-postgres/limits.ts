import type { Limits } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { stored } from "./text.ts";

/**
 * One row a hit, as the window slides exactly; hits of one key take turns. They wait for no disk: a
 * failover can forget the last ones.
 */
export function createLimits(db: Database): Limits {
  return {
    async hit(key, windows) {
      const { full, afterMs } = await db.call<{ full?: number; afterMs?: number | null }>("gantry_hit", {
        key: stored(key),
        windows,
      });
      if (full === undefined) return { ok: true };
      return { ok: false, window: windows[full]!, retryAfterMs: afterMs ?? Number.POSITIVE_INFINITY };
    },
    async count(key, ms) {
      const [row] = await db.rows<{ n: number }>(
        "SELECT count(*) AS n FROM hits WHERE key = $1 AND at > gantry_now() - $2::float8",
        stored(key),
        ms,
      );
      return row!.n;
    },
  };
}
