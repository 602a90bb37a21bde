import type { Audit, Route, Store } from "@gantry/sdk";
import { Type } from "typebox";
import { pageSchema } from "../shared/route-page.ts";

const access = { auth: "token", may: "talk" } as const;
const page = () =>
  pageSchema({
    id: Type.String(),
    turns: Type.Integer(),
    updated: Type.String(),
    owner: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
  });
const work = () => import("./route-work.ts");

/** The conversations over HTTP: one's own with the scope `talk`, all with `read`. */
export function sessionRoutes(store: () => Store, audit: Audit): readonly Route[] {
  return [
    {
      ...access,
      name: "GET /api/sessions",
      method: "GET",
      path: "/api/sessions",
      summary: "Conversations, newest first: own ones, or all for `read`; `search`, `limit`, `after`.",
      get replySchema() {
        return page();
      },
      handle: async (request) => (await work()).listed(store(), request),
    },
    {
      ...access,
      name: "GET /api/sessions/messages",
      method: "GET",
      path: "/api/sessions/messages",
      summary: "The last turns of the conversation `session`; `limit` turns, but for the last `skip`.",
      handle: async (request) => (await work()).messages(store(), request),
    },
    {
      ...access,
      name: "GET /api/sessions/export",
      method: "GET",
      path: "/api/sessions/export",
      summary: "The whole conversation `session`: whose it is, and every message.",
      handle: async (request) => (await work()).exported(store(), request),
    },
    {
      ...access,
      name: "DELETE /api/sessions",
      method: "DELETE",
      path: "/api/sessions",
      summary: "Removes the conversation `session`: an own one, or any for `manage`.",
      handle: async (request) => (await work()).removed(store(), request, audit),
    },
  ];
}
