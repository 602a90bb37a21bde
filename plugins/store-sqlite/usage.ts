import type { Usage, UsageSum } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";

const KEYS = {
  day: "strftime('%Y-%m-%d', at / 1000, 'unixepoch')",
  model: "model",
  user: "user",
  agent: "ifnull(agent, '')",
} as const;

/** Not synced: losing power can forget the last rows. */
export function createUsage(db: Database): Usage {
  return {
    async add(row) {
      const { at, user, session, purpose, provider, input, output, cached, micros, outcome } = row;
      await db.write((sql) =>
        sql.run(
          `INSERT INTO usage (at, user, session, purpose, provider, model, input, output, cached, micros, ms, outcome, agent, estimated)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          at,
          user,
          session,
          purpose,
          provider,
          row.model ?? "",
          input,
          output,
          cached,
          micros,
          Math.round(row.ms),
          outcome,
          row.agent ?? null,
          Number(row.isEstimated === true),
        ),
      );
    },
    async sum(by, since, user) {
      const order = by === "day" ? "key DESC" : "input + output DESC, key";
      const rows = await db.read((sql) =>
        sql.all<UsageSum>(
          `SELECT ${KEYS[by]} AS key, count(*) AS requests, sum(outcome <> 'ok') AS failed, sum(input) AS input,
             sum(output) AS output, sum(cached) AS cached, ifnull(sum(micros), 0) AS micros,
             sum(estimated) AS estimated, sum(micros IS NULL) AS unpriced
           FROM usage WHERE at >= ? AND (? IS NULL OR user = ?) GROUP BY 1 ORDER BY ${order}`,
          since,
          user ?? null,
          user ?? null,
        ),
      );
      return rows.map((row) => ({ ...row }));
    },
  };
}
