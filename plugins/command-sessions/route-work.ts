import type { Audit, RouteReply, RouteRequest, Store } from "@gantry/sdk";
import type { SessionSummary } from "@gantry/sdk/fill";
import { maySeeAll, mayRead, personOf } from "../shared/may-read.ts";
import { limitOf, queryOf } from "../shared/route-page.ts";
import { recordRemoval } from "./erasure-record.ts";
import { errors } from "./errors.ts";
import { shownMessage } from "./shown-message.ts";
import { exportOf } from "./whole-session.ts";

/** Turns of a conversation that are read from the store at once. */
const mostTurns = 200;

/** Answers with a page of conversations: the caller's own, or all for who may see them. */
export async function listed({ sessions }: Store, request: RouteRequest): Promise<RouteReply> {
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
  return { status: 200, body: { rows, ...(last && { next: `${last.updated} ${last.id}` }) } };
}

function readPlace(text: string = ""): Pick<SessionSummary, "id" | "updated"> | undefined {
  const [, updated, id] = /^(\S+Z) (.+)$/s.exec(text) ?? [];
  return updated !== undefined && id !== undefined && Date.parse(updated) > 0 ? { updated, id } : undefined;
}

/** A conversation that is not theirs to read looks like one that does not exist. */
async function ofReadable(
  { sessions }: Store,
  request: RouteRequest,
  work: (session: string) => Promise<RouteReply>,
): Promise<RouteReply> {
  const id = queryOf(request, "session") ?? "";
  if (await mayRead(sessions, id, request)) return work(id);
  throw errors.SESSION_UNKNOWN(id);
}

/** Answers with the last turns of a conversation. */
export function messages(store: Store, request: RouteRequest): Promise<RouteReply> {
  return ofReadable(store, request, async (id) => {
    const { sessions } = store;
    const limit = limitOf(request, { usual: 30, most: mostTurns });
    const skip = Math.max(0, Math.trunc(Number(queryOf(request, "skip") ?? 0)) || 0);
    const [all, later] = [await sessions.recent(id, limit + skip), await sessions.recent(id, skip)];
    const shown = all.slice(0, all.length - later.length);
    const more = (await sessions.recent(id, limit + skip + 1)).length > all.length;
    return { status: 200, body: { messages: shown.map((one) => shownMessage(one, id)), more } };
  });
}

/** Answers with a whole conversation. */
export function exported(store: Store, request: RouteRequest): Promise<RouteReply> {
  return ofReadable(store, request, async (id) => ({
    status: 200,
    body: await exportOf(store, id),
  }));
}

/** Removes a conversation. Throws SESSION_NOT_OWN. */
export function removed(store: Store, request: RouteRequest, audit: Audit): Promise<RouteReply> {
  return ofReadable(store, request, async (id) => {
    const { sessions } = store;
    const isOwn = (await sessions.access(id))?.owner === personOf(request);
    if (!isOwn && request.caller?.may.includes("manage") === false) throw errors.SESSION_NOT_OWN(id);
    await recordRemoval(audit, id, personOf(request));
    await sessions.remove(id);
    return { status: 200, body: { removed: id } };
  });
}
