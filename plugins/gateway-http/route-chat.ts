import { randomUUID } from "node:crypto";
import {
  directMessage,
  type Inbox,
  type InboundMessage,
  type Route,
  type RouteReply,
  type ServerEvent,
  type TurnEvent,
  type TurnResult,
} from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "./errors.ts";
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

/** Characters of events that wait for a client who does not read. */
const maxWaiting = 4 * 1024 * 1024;

export function chatRoute(inbox: Inbox): Route {
  return {
    name: "POST /api/chat",
    method: "POST",
    path: "/api/chat",
    auth: "token",
    summary:
      "One turn; with `stream` its events as they happen: delta, tool_call, tool_result, approval_request, then done or error.",
    bodySchema: body,
    replySchema: reply,
    async handle({ id, body: asked, device, signal }) {
      const { message, session_id, stream } = asked as Static<typeof body>;
      const incoming = directMessage({
        channel: "http",
        id: randomUUID(),
        from: device ?? "local",
        text: message,
        trust: "owner",
        trace: id,
        ...(session_id !== undefined && { session: session_id }),
      });
      if (stream) return { status: 200, events: turnEvents(inbox, incoming, signal) };
      return answer(await inbox.prompt(incoming, { signal, approvals: "none" }));
    },
  };
}

function answer(result: TurnResult): RouteReply {
  const { error, ...done } = result;
  if (!error) return { status: 200, body: done };
  return { status: statusOf(error.code), body: { error: { code: error.code, message: error.message } } };
}

/** The turn as events. It is stopped where the client leaves or falls too far behind. */
function turnEvents(inbox: Inbox, incoming: InboundMessage, left: AbortSignal): AsyncIterable<ServerEvent> {
  const stop = new AbortController();
  const signal = AbortSignal.any([left, stop.signal]);
  return new ReadableStream<ServerEvent>(
    {
      async start(queue) {
        const say = (event: string, data: unknown): void => {
          if (signal.aborted) return;
          queue.enqueue({ event, data });
          if ((queue.desiredSize ?? 0) > 0) return;
          stop.abort();
          queue.error(errors.GATEWAY_SLOW_CLIENT());
        };
        void (async () => {
          try {
            const asking = {
              signal,
              approvals: "ask",
              onEvent: (event: TurnEvent) => tell(event, say),
            } as const;
            const { error, ...done } = await inbox.prompt(incoming, asking);
            if (error) say("error", { code: error.code, message: error.message });
            else say("done", done);
          } catch (error) {
            say("error", failure(error).body.error);
          }
          if (!stop.signal.aborted) queue.close();
        })();
      },
      cancel: () => stop.abort(),
    },
    { highWaterMark: maxWaiting, size: (event) => JSON.stringify(event).length },
  );
}

function tell(event: TurnEvent, say: (event: string, data: unknown) => void): void {
  if (event.type === "approval_request") return say(event.type, event.request);
  if (event.type !== "delta" && event.type !== "tool_call" && event.type !== "tool_result") return;
  const { type, ...data } = event;
  say(type, data);
}
