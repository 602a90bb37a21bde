import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Anchors } from "./anchors.ts";
import { limitOf, pageSchema, queryOf } from "../shared/route-page.ts";

const page = () =>
  pageSchema({
    timestamp: Type.String(),
    event_type: Type.String(),
    tool: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown()),
    result: Type.String(),
    user: Type.String(),
    session_id: Type.String(),
    seq: Type.Integer(),
  });

const access = { auth: "token", may: "read" } as const;

/** The log over HTTP. */
export function auditRoutes(log: string, anchors: Anchors): readonly Route[] {
  return [
    {
      ...access,
      name: "GET /api/audit",
      method: "GET",
      path: "/api/audit",
      summary: "Audit records, newest first: `type`, `tool`, `user`, `search`, `limit`, `after`.",
      get replySchema() {
        return page();
      },
      async handle(request) {
        const limit = limitOf(request);
        const wanted = {
          type: queryOf(request, "type"),
          tool: queryOf(request, "tool"),
          user: queryOf(request, "user"),
          search: queryOf(request, "search"),
          before: Number(queryOf(request, "after") ?? Infinity),
        };
        const { recordsOf } = await import("./records.ts");
        const { rows, next } = await recordsOf(log, wanted, limit);
        return { status: 200, body: { rows, ...(next !== undefined && { next: String(next) }) } };
      },
    },
    {
      ...access,
      name: "POST /api/audit/verify",
      method: "POST",
      path: "/api/audit/verify",
      summary: "Reads the whole log: whether its chain holds, and the first line that was changed.",
      perMinute: 6,
      async handle() {
        const { verify } = await import("./verify.ts");
        return { status: 200, body: await verify(log, await anchors.known()) };
      },
    },
  ];
}
