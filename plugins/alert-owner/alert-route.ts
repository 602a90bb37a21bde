import type { Route } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { cleaner } from "../shared/clean-line.ts";
import { pageOf, pageSchema } from "../shared/route-page.ts";
import type { Alerts } from "./alerts.ts";

/** Returns the route of the troubles since the service has started. */
export function alertRoute(alerts: Alerts, redactors: ReadonlyMap<string, Redactor>): Route {
  return {
    name: "GET /api/alerts",
    method: "GET",
    path: "/api/alerts",
    auth: "token",
    may: "read",
    summary: "The last 100 troubles since the service has started, the newest first; `limit`, `after`.",
    get replySchema() {
      return replies();
    },
    async handle(request) {
      const clean = cleaner([...redactors.values()]);
      const page = pageOf(request, alerts.last, ({ since, what }) => `${since} ${what}`, "down");
      const rows = page.rows.map(async (one) => ({ ...one, detail: await clean(one.detail) }));
      return { status: 200, body: { ...page, rows: await Promise.all(rows) } };
    },
  };
}

const replies = () =>
  pageSchema({
    what: Type.String(),
    detail: Type.String(),
    since: Type.String(),
    until: Type.Optional(Type.String()),
  });
