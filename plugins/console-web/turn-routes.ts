import { randomUUID } from "node:crypto";
import { directMessage, type Part, type Route, type RouteRequest, type Turns } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { personOf } from "../shared/may-read.ts";
import { queryOf } from "../shared/route-page.ts";
import { errors } from "./errors.ts";
import type { TurnLogs } from "./turn-logs.ts";
import type { Uploads } from "./uploads.ts";

const session = Type.String({ pattern: "^[A-Za-z0-9_.:+@-]{1,128}$" });
const body = Type.Object({
  message: Type.String({ maxLength: 60_000 }),
  session_id: Type.Optional(session),
  files: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
});

const access = { auth: "token", may: "talk", path: "/api/turns" } as const;

/** Turns that go on while nobody listens, and their steps for whoever listens again. */
export function turnRoutes(
  logs: TurnLogs,
  { turns }: { readonly turns: Turns },
  uploads: Uploads,
): readonly Route[] {
  return [
    {
      ...access,
      name: "POST /api/turns",
      method: "POST",
      summary: "Begins a turn that goes on if the client leaves; `files` are ids of POST /api/uploads.",
      bodySchema: body,
      replySchema: Type.Object({ session_id: Type.String() }),
      handle: async (request) => begin(request, logs, uploads),
    },
    {
      ...access,
      name: "GET /api/turns",
      method: "GET",
      summary: "The turns of this device that run.",
      replySchema: Type.Object({
        turns: Type.Array(Type.Object({ session: Type.String(), began: Type.Integer() })),
      }),
      handle: async (request) => ({ status: 200, body: { turns: logs.running(personOf(request)) } }),
    },
    {
      ...access,
      name: "GET /api/turns/events",
      method: "GET",
      path: "/api/turns/events",
      summary: "All steps of the last turn in `session` as events, those behind the first `after`.",
      async handle(request) {
        const id = queryOf(request, "session") ?? "";
        const log = logs.find(id, personOf(request));
        if (!log) return none(id);
        const after = Number(queryOf(request, "after") ?? 0) || 0;
        // A turn is worth the seconds that a stop leaves.
        return { status: 200, events: log.read(after, request.left ?? request.signal) };
      },
    },
    {
      ...access,
      name: "DELETE /api/turns",
      method: "DELETE",
      summary: "Stops the turn in `session`.",
      async handle(request) {
        const id = queryOf(request, "session") ?? "";
        const { caller } = request;
        const by = { user: personOf(request), ...(caller && { caller }) };
        return (await turns.stop(id, by)) ? { status: 200, body: { stopped: id } } : none(id);
      },
    },
  ];
}

function none(session: string) {
  const { code, message } = errors.CONSOLE_NO_TURN(session);
  return { status: 404, body: { error: { code, message } } };
}

function begin(request: RouteRequest, logs: TurnLogs, uploads: Uploads) {
  const { id, traceparent, caller, device } = request;
  const { message, session_id, files = [] } = request.body as Static<typeof body>;
  const session = session_id ?? randomUUID();
  const user = personOf(request);
  const media = files.map((file) => uploads.take(user, file));
  const parts: Part[] = [
    ...media.map((ref): Part => ({ type: "media", media: ref })),
    ...(message === "" ? [] : [{ type: "text" as const, text: message }]),
  ];
  const incoming = directMessage({
    channel: "http",
    id: randomUUID(),
    from: device ?? "local",
    text: message,
    parts,
    trust: "owner",
    ...(caller && { caller }),
    trace: id,
    ...(traceparent !== undefined && { traceparent }),
    session,
  });
  logs.begin(session, user, incoming, { text: message, files: media });
  return { status: 200, body: { session_id: session } };
}
