import type { Route } from "@gantry/sdk";
import type { Usage } from "@gantry/sdk/fill";
import { shownRow, since } from "./command.ts";

export function usageRoute(usage: () => Usage): Route {
  return {
    name: "GET /api/usage",
    method: "GET",
    path: "/api/usage",
    auth: "token",
    may: "read",
    summary: "What requests to models have taken in `days`, by `day`, `model`, `user` or `agent`.",
    async handle({ query }) {
      const by = (["day", "model", "user", "agent"] as const).find((kind) => kind === query["by"]) ?? "day";
      const rows = await usage().sum(by, since(query["days"]));
      return { status: 200, body: { by, rows: rows.map(shownRow) } };
    },
  };
}
