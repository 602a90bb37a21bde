import { randomUUID } from "node:crypto";
import {
  directMessage,
  GantryError,
  type Part,
  type Providers,
  type RouteRequest,
  type Turns,
} from "@gantry/sdk";
import type { Static } from "typebox";
import { personOf } from "../shared/may-read.ts";
import { queryOf } from "../shared/route-page.ts";
import { errors } from "./errors.ts";
import type { ConsoleWork, turnBody } from "./routes.ts";
import type { TurnLogs } from "./turn-logs.ts";
import type { Uploads } from "./uploads.ts";

type TurnWork = Pick<ConsoleWork, "beginTurn" | "runningTurns" | "turnEvents" | "stopTurn">;

/** Returns what begins and stops the turns of pages, and tells of their steps. */
export function turnWork(
  logs: TurnLogs,
  { turns, providers }: { readonly turns: Turns; readonly providers: Providers },
  uploads: Uploads,
): TurnWork {
  return {
    beginTurn: async (request) => begin(request, logs, uploads),
    async runningTurns(request) {
      const problem = await providers.resolve().then(() => undefined, problemOf);
      return { status: 200, body: { turns: logs.running(personOf(request)), ...(problem && { problem }) } };
    },
    async turnEvents(request) {
      const id = queryOf(request, "session") ?? "";
      const log = logs.find(id, personOf(request));
      if (!log) return none(id);
      const after = Number(queryOf(request, "after") ?? 0) || 0;
      // A turn is worth the seconds that a stop leaves.
      return { status: 200, events: log.read(after, request.left ?? request.signal) };
    },
    async stopTurn(request) {
      const id = queryOf(request, "session") ?? "";
      const { caller } = request;
      const by = { user: personOf(request), ...(caller && { caller }) };
      return (await turns.stop(id, by)) ? { status: 200, body: { stopped: id } } : none(id);
    },
  };
}

/** Returns why no turn would be answered, as a page may know it. */
function problemOf(error: unknown): { readonly code: string; readonly message: string } | undefined {
  return error instanceof GantryError ? { code: error.code, message: error.message } : undefined;
}

function none(session: string) {
  const { code, message } = errors.CONSOLE_NO_TURN(session);
  return { status: 404, body: { error: { code, message } } };
}

function begin(request: RouteRequest, logs: TurnLogs, uploads: Uploads) {
  const { id, traceparent, caller, device } = request;
  const { message, session_id, files = [] } = request.body as Static<ReturnType<typeof turnBody>>;
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
