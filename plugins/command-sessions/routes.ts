import type { Audit, Route, RouteReply, RouteRequest, Store } from "@gantry/sdk";
import type { SessionSummary } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { maySeeAll, mayRead, personOf } from "../shared/may-read.ts";
import { limitOf, pageSchema, queryOf } from "../shared/route-page.ts";
import { recordRemoval } from "./change.ts";
import { errors } from "./errors.ts";
import { exportOf } from "./read.ts";
import { shownMessage } from "./shown-message.ts";

const access = { auth: "token", may: "talk" } as const;
/** Turns of a conversation that are read from the store at once. */
const mostTurns = 200;

/** The conversations over HTTP: one's own with the scope `talk`, all with `read`. */
export function sessionRoutes(store: () => Store, audit: Audit): readonly Route[] {
  return [
    {
      ...access,
      name: "GET /api/sessions",
      method: "GET",
      path: "/api/sessions",
      summary: "Conversations, newest first: own ones, or all for `read`; `search`, `limit`, `after`.",
      replySchema: pageSchema({
        id: Type.String(),
        turns: Type.Integer(),
        updated: Type.String(),
        owner: Type.Optional(Type.String()),
        title: Type.Optional(Type.String()),
      }),
      handle: async (request) => ({ status: 200, body: await listed(store(), request) }),
    },
    {
      ...access,
      name: "GET /api/sessions/messages",
      method: "GET",
      path: "/api/sessions/messages",
      summary: "The last turns of the conversation `session`; `limit` turns, but for the last `skip`.",
      handle: (request) => ofReadable(store(), request, (id) => messages(store(), id, request)),
    },
    {
      ...access,
      name: "GET /api/sessions/export",
      method: "GET",
      path: "/api/sessions/export",
      summary: "The whole conversation `session`: whose it is, and every message.",
      handle: (request) =>
        ofReadable(store(), request, async (id) => ({
          status: 200,
          body: await exportOf(store(), id),
        })),
    },
    {
      ...access,
      name: "DELETE /api/sessions",
      method: "DELETE",
      path: "/api/sessions",
      summary: "Removes the conversation `session`: an own one, or any for `manage`.",
      handle: (request) => ofReadable(store(), request, (id) => removed(store(), id, request, audit)),
    },
  ];
}

async function listed({ sessions }: Store, request: RouteRequest): Promise<object> {
  const limit = limitOf(request);
  const owner = maySeeAll(request) ? queryOf(request, "owner") : personOf(request);
  const search = queryOf(request, "search")?.slice(0, 200);
  const after = readPlace(queryOf(request, "after"));
  const want = { limit, ...(owner && { owner }), ...(search && { search }), ...(after && { after }) };
  // A store of an earlier release knows neither pages nor words.
  const rows = sessions.page
    ? await sessions.page(want)
    : (await sessions.list(limit)).filter((row) => owner === undefined || row.owner === owner);
  const last = sessions.page && rows.length === limit ? rows.at(-1) : undefined;
  return { rows, ...(last && { next: `${last.updated} ${last.id}` }) };
}

function readPlace(text: string = ""): Pick<SessionSummary, "id" | "updated"> | undefined {
  const [, updated, id] = /^(\S+Z) (.+)$/s.exec(text) ?? [];
  return updated !== undefined && id !== undefined && Date.parse(updated) > 0 ? { updated, id } : undefined;
}

/** What is not theirs to read looks like what does not exist. */
async function ofReadable(
  { sessions }: Store,
  request: RouteRequest,
  work: (session: string) => Promise<RouteReply>,
): Promise<RouteReply> {
  const id = queryOf(request, "session") ?? "";
  if (await mayRead(sessions, id, request)) return work(id);
  const { code, message } = errors.SESSION_UNKNOWN(id);
  return { status: 404, body: { error: { code, message } } };
}

async function messages({ sessions }: Store, id: string, request: RouteRequest): Promise<RouteReply> {
  const limit = limitOf(request, { usual: 30, most: mostTurns });
  const skip = Math.max(0, Math.trunc(Number(queryOf(request, "skip") ?? 0)) || 0);
  const [all, later] = [await sessions.recent(id, limit + skip), await sessions.recent(id, skip)];
  const shown = all.slice(0, all.length - later.length);
  const more = (await sessions.recent(id, limit + skip + 1)).length > all.length;
  return { status: 200, body: { messages: shown.map((one) => shownMessage(one, id)), more } };
}

async function removed(
  { sessions }: Store,
  id: string,
  request: RouteRequest,
  audit: Audit,
): Promise<RouteReply> {
  const isOwn = (await sessions.access(id))?.owner === personOf(request);
  if (!isOwn && request.caller?.may.includes("manage") === false) throw errors.SESSION_NOT_OWN(id);
  await recordRemoval(audit, id, personOf(request));
  await sessions.remove(id);
  return { status: 200, body: { removed: id } };
}
