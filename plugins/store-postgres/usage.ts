import type { Usage, UsageSum } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";
import { given, stored } from "./text.ts";

const keys = {
  day: "to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
  model: "model",
  user: "usr",
  agent: "coalesce(agent, '')",
} as const;

export function createUsage(db: Database): Usage {
  return {
    async add(row) {
      const { at, input, output, cached, micros } = row;
      await db.rows(
        `INSERT INTO usage (at, usr, session, purpose, provider, model, input, output, cached,
           micros, ms, outcome, agent, estimated)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
        at,
        stored(row.user),
        stored(row.session),
        stored(row.purpose),
        stored(row.provider),
        stored(row.model ?? ""),
        input,
        output,
        cached,
        micros,
        Math.round(row.ms),
        stored(row.outcome),
        row.agent === undefined ? null : stored(row.agent),
        row.isEstimated === true,
      );
    },
    async sum(by, since, user) {
      const order = by === "day" ? "key DESC" : "input + output DESC, key";
      const rows = await db.rows<UsageSum>(
        `SELECT * FROM (
           SELECT ${keys[by]} AS key, count(*) AS requests,
             count(*) FILTER (WHERE outcome <> 'ok') AS failed, sum(input)::bigint AS input,
             sum(output)::bigint AS output, sum(cached)::bigint AS cached,
             coalesce(sum(micros), 0)::bigint AS micros, count(*) FILTER (WHERE estimated) AS estimated,
             count(*) FILTER (WHERE micros IS NULL) AS unpriced
           FROM usage WHERE at >= $1 AND ($2::text IS NULL OR usr = $2) GROUP BY 1
         ) AS sums ORDER BY ${order}`,
        Math.ceil(since),
        user === undefined ? null : stored(user),
      );
      return rows.map((row) => ({ ...row, key: given(row.key) }));
    },
  };
}
