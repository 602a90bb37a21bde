import type { Usage, UsageRow, UsageSum } from "../../fill.ts";

export function usage(rows: UsageRow[]): Usage {
  const keys = {
    day: ({ at }: UsageRow) => new Date(at).toISOString().slice(0, 10),
    model: ({ model }: UsageRow) => model ?? "",
    user: ({ user }: UsageRow) => user,
    agent: ({ agent = "" }: UsageRow) => agent,
  };
  return {
    add: async (row) => void rows.push({ ...row }),
    sum: async (by, since, user) => {
      const wanted = rows.filter((row) => row.at >= since && (user === undefined || row.user === user));
      const sums = [...Map.groupBy(wanted, keys[by])].map(([key, group]) => added(key, group));
      return sums.toSorted((a, b) =>
        by === "day"
          ? b.key.localeCompare(a.key)
          : b.input + b.output - a.input - a.output || a.key.localeCompare(b.key),
      );
    },
  };
}

function added(key: string, rows: readonly UsageRow[]): UsageSum {
  const total = (of: (row: UsageRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  return {
    key,
    requests: rows.length,
    failed: rows.filter(({ outcome }) => outcome !== "ok").length,
    input: total(({ input }) => input),
    output: total(({ output }) => output),
    cached: total(({ cached }) => cached),
    micros: total(({ micros }) => micros ?? 0),
    estimated: rows.filter(({ isEstimated }) => isEstimated === true).length,
    unpriced: rows.filter(({ micros }) => micros === null).length,
  };
}
