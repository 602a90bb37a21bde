import {
  GantryError,
  messageFrom,
  promptEvents,
  type Inbox,
  type InboundMessage,
  type PromptEvent,
  type Route,
  type RouteReply,
  type ServerEvent,
  type TurnResult,
} from "@gantry/sdk";
import { statusOf } from "@gantry/sdk/fill";
import { waitingStatus } from "../shared/turn-status.ts";
import { Type } from "typebox";
import type { Static } from "typebox";
import { approvalsOf, waitHeader } from "../shared/waiting-header.ts";
import { errors } from "./errors.ts";
import { failure } from "./failures.ts";
import { linked } from "./route-media.ts";

const body = Type.Object({
  message: Type.String({ minLength: 1 }),
  session_id: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_.:+@-]{1,128}$" })),
  stream: Type.Optional(Type.Boolean()),
});

const file = Type.Object({
  id: Type.String(),
  mime: Type.String(),
  bytes: Type.Integer(),
  name: Type.Optional(Type.String()),
  alt: Type.Optional(Type.String()),
  url: Type.String(),
});

const reply = Type.Object({
  reply: Type.String(),
  session_id: Type.String(),
  provider: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  stop_reason: Type.String(),
  usage: Type.Object({
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cached_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer(),
  }),
  tool_calls: Type.Array(
    Type.Object({ tool: Type.String(), decision: Type.String(), code: Type.Optional(Type.String()) }),
  ),
  files: Type.Optional(Type.Array(file)),
});

export function chatRoute(inbox: Inbox): Route {
  return {
    name: "POST /api/chat",
    method: "POST",
    path: "/api/chat",
    auth: "token",
    may: "talk",
    summary:
      "One turn; with `stream` its events as they happen: delta, tool_call, tool_progress, tool_result, tool_question, approval_request, then done or error.",
    bodySchema: body,
    replySchema: reply,
    async handle(request) {
      const { body: asked, left = request.signal } = request;
      const { message, session_id: session, stream } = asked as Static<typeof body>;
      const approvals = approvalsOf(request.headers);
      if (!approvals) throw errors.GATEWAY_WAITS(waitHeader);
      const incoming = messageFrom(request, message, session === undefined ? {} : { session });
      if (stream) return { status: 200, events: turnEvents(inbox, incoming, left) };
      // Without a listener nobody is asked.
      const listener = approvals === "ask" && { onEvent: () => {} };
      const result = await inbox.prompt(incoming, { signal: left, approvals, ...listener });
      if (result.error && left.reason instanceof GantryError) throw left.reason;
      return answer(result);
    },
  };
}

function answer(result: TurnResult): RouteReply {
  const { error } = result;
  if (!error) return { status: 200, body: doneOf(result) };
  const { code, message } = error;
  const { status, headers = {} } = waitingStatus(error) ?? { status: statusOf({ code }) };
  return { status, headers, body: { error: { code, message } } };
}

/** Returns the client's view of a whole turn; each file with the address of its bytes. */
function doneOf(result: TurnResult): object {
  const { files, session_id } = result;
  return files === undefined ? result : { ...result, files: files.map((one) => linked(one, session_id)) };
}

/** Yields the turn as events. It is stopped if the client leaves, is slow, or the stop is over. */
async function* turnEvents(
  inbox: Inbox,
  incoming: InboundMessage,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  try {
    for await (const event of promptEvents(inbox, incoming, { signal, approvals: "ask" })) {
      const told = toldOf(event);
      if (told) yield told;
    }
  } catch (error) {
    yield { event: "error", data: failure(error).body.error };
  }
}

const shown: ReadonlySet<string> = new Set(["delta", "tool_call", "tool_progress", "tool_result"]);

/** Returns the client's view of a step; undefined if it is the terminal's alone. */
function toldOf(event: PromptEvent): ServerEvent | undefined {
  if (event.type === "approval_request") return { event: event.type, data: event.request };
  if (event.type === "tool_question") return { event: event.type, data: event.question };
  if (event.type === "ended") {
    const { error } = event.result;
    if (error) return { event: "error", data: { code: error.code, message: error.message } };
    return { event: "done", data: doneOf(event.result) };
  }
  if (!shown.has(event.type)) return undefined;
  const { type, ...data } = event;
  return { event: type, data };
}
