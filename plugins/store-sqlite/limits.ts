import type { Limits } from "@gantry/sdk";
import type { Database } from "./database.ts";

/**
 * One row a hit, so that a window slides exactly: a hit at `t` counts until `t + ms`, and no longer. Not synced: losing
 * power can forget the last hits. `count` is exact up to the longest window that the key was hit with.
 */
export function createLimits(db: Database): Limits {
  return {
    hit(key, windows, now) {
      return db.write((sql) => {
        let full: { window: (typeof windows)[number]; retryAt: number } | undefined;
        for (const window of windows) {
          const retryAt = window.max < 1 ? Infinity : nthNewest(window.max) + window.ms;
          if (retryAt > now && retryAt > (full?.retryAt ?? 0)) full = { window, retryAt };
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
    async count(key, ms, now) {
      const row = await db.read((sql) =>
        sql.get<{ n: number }>("SELECT count(*) AS n FROM hits WHERE key = ? AND at > ?", key, now - ms),
      );
      return row!.n;
    },
  };
}
