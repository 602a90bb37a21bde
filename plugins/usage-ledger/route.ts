import type { Route } from "@gantry/sdk";
import type { Usage } from "@gantry/sdk/fill";
import { shownRow } from "./command.ts";

const DAYS_MS = 30 * 86_400_000;

export function usageRoute(usage: () => Usage): Route {
  return {
    name: "GET /api/usage",
    method: "GET",
    path: "/api/usage",
    auth: "token",
    may: "read",
    summary: "What requests to models have taken in the last 30 days; `?by=day`, `model` or `user`.",
    async handle({ query }) {
      const by = (["day", "model", "user", "agent"] as const).find((kind) => kind === query["by"]) ?? "day";
      const rows = await usage().sum(by, Date.now() - DAYS_MS);
      return { status: 200, body: { by, rows: rows.map(shownRow) } };
    },
  };
}
