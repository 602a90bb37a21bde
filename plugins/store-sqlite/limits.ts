import type { Limits } from "@gantry/sdk";
import type { MachineClock } from "./clock.ts";
import type { Database } from "./database.ts";

/**
 * One row a hit, so that a window slides exactly: a hit at `t` counts until `t + ms`, and no
 * longer. Not synced: losing power can forget the last hits. `count` is exact up to the longest
 * window that the key was hit with.
 */
export function createLimits(db: Database, clock: MachineClock): Limits {
  return {
    hit(key, windows) {
      return db.write((sql) => {
        const now = Math.floor(clock.now());
        let full: { window: (typeof windows)[number]; retryAfterMs: number } | undefined;
        for (const window of windows) {
          const retryAfterMs = window.max < 1 ? Infinity : nthNewest(window.max) + window.ms - now;
          if (retryAfterMs > (full?.retryAfterMs ?? 0)) full = { window, retryAfterMs };
        }
        if (full) return { ok: false as const, ...full };
        const longest = Math.max(0, ...windows.map(({ ms }) => ms));
        sql.run("DELETE FROM hits WHERE key = ? AND at <= ? AND expires <= ?", key, now - longest, now);
        sql.run("INSERT INTO hits (key, at, expires) VALUES (?, ?, ?)", key, now, now + longest);
        return { ok: true as const };

        function nthNewest(n: number): number {
          const row = sql.get<{ at: number }>(
            "SELECT at FROM hits WHERE key = ? ORDER BY at DESC LIMIT 1 OFFSET ?",
            key,
            n - 1,
          );
          return row?.at ?? -Infinity;
        }
      });
    },
    async count(key, ms) {
      const now = clock.now();
      const row = await db.read((sql) =>
        sql.get<{ n: number }>("SELECT count(*) AS n FROM hits WHERE key = ? AND at > ?", key, now - ms),
      );
      return row!.n;
    },
  };
}
