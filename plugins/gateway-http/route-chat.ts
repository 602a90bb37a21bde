import { randomUUID } from "node:crypto";
import {
  directMessage,
  GantryError,
  promptEvents,
  type Inbox,
  type InboundMessage,
  type PromptEvent,
  type Route,
  type RouteReply,
  type ServerEvent,
  type TurnResult,
} from "@gantry/sdk";
import { waitingStatus } from "../shared/turn-status.ts";
import { Type } from "typebox";
import type { Static } from "typebox";
import { failure, statusOf } from "./failures.ts";

const body = Type.Object({
  message: Type.String({ minLength: 1 }),
  session_id: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_.:+@-]{1,128}$" })),
  stream: Type.Optional(Type.Boolean()),
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
      const { id, traceparent, body: asked, device, caller, left = request.signal } = request;
      const { message, session_id, stream } = asked as Static<typeof body>;
      const incoming = directMessage({
        channel: "http",
        id: randomUUID(),
        from: device ?? "local",
        text: message,
        trust: "owner",
        ...(caller && { caller }),
        trace: id,
        ...(traceparent !== undefined && { traceparent }),
        ...(session_id !== undefined && { session: session_id }),
      });
      if (stream) return { status: 200, events: turnEvents(inbox, incoming, left) };
      const result = await inbox.prompt(incoming, { signal: left, approvals: "none" });
      if (result.error && left.reason instanceof GantryError) throw left.reason;
      return answer(result);
    },
  };
}

function answer(result: TurnResult): RouteReply {
  const { error, ...done } = result;
  if (!error) return { status: 200, body: done };
  const { code, message } = error;
  const { status, headers = {} } = waitingStatus(error) ?? { status: statusOf(code) };
  return { status, headers, body: { error: { code, message } } };
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

/** What a client is told of a step; undefined if it is the terminal's alone. */
function toldOf(event: PromptEvent): ServerEvent | undefined {
  if (event.type === "approval_request") return { event: event.type, data: event.request };
  if (event.type === "tool_question") return { event: event.type, data: event.question };
  if (event.type === "ended") {
    const { error, ...done } = event.result;
    if (error) return { event: "error", data: { code: error.code, message: error.message } };
    return { event: "done", data: done };
  }
  if (!shown.has(event.type)) return undefined;
  const { type, ...data } = event;
  return { event: type, data };
}
