import { eventFrame } from "../fill.ts";
import type { Route } from "../index.ts";
import {
  askRoute,
  bytesOf,
  failedReply,
  tracedBy,
  type HttpReply,
  type RouteCall,
  type Traced,
} from "./asked-route.ts";

export type { RouteCall } from "./asked-route.ts";

export interface RouteAnswer {
  readonly status: number;
  /** With the `x-request-id` and the `traceparent` that a gateway adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; events are written as they go over the wire, after the last of them. */
  readonly text: string;
  readonly bytes: Uint8Array;
  json(): any;
}

/**
 * Asks a route as a gateway would: path and query read, what the token may held to the route's
 * `may`, the body held to `bodySchema`, coded errors made an answer, a WebSocket refused with 426,
 * which {@link openRoute} opens. What only a gateway has is left out: authentication and limits.
 * Throws what the route throws without a code.
 */
export async function callRoute(route: Route, call: RouteCall = {}): Promise<RouteAnswer> {
  const upgrade = failedReply(route, 426, "UPGRADE", "This address speaks WebSocket alone.");
  return askRoute(route, call, (reply) =>
    answerOf("webSocket" in reply ? upgrade : reply, tracedBy(call.headers)),
  );
}

/** Returns a reply as it goes over the wire. */
export async function answerOf(reply: HttpReply, { id, traceparent }: Traced): Promise<RouteAnswer> {
  const { type, bytes } = await written(reply);
  const own = Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const text = new TextDecoder().decode(bytes);
  return {
    status: reply.status,
    headers: {
      "content-type": type,
      "x-request-id": id,
      ...(traceparent !== undefined && { traceparent }),
      ...(Object.fromEntries(own) as Record<string, string>),
    },
    text,
    bytes,
    json: () => JSON.parse(text),
  };
}

async function written(reply: HttpReply): Promise<{ readonly type: string; readonly bytes: Uint8Array }> {
  if ("bytes" in reply) return { type: "application/octet-stream", bytes: reply.bytes };
  if ("text" in reply)
    return { type: "text/plain; charset=utf-8", bytes: new TextEncoder().encode(reply.text) };
  if ("body" in reply) return { type: "application/json; charset=utf-8", bytes: bytesOf(reply.body) };
  if ("stream" in reply) {
    const pieces: Uint8Array[] = [];
    for await (const piece of reply.stream) pieces.push(piece);
    return {
      type: "application/octet-stream",
      bytes: new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer()),
    };
  }
  let frames = "";
  for await (const event of reply.events) frames += eventFrame(event);
  return { type: "text/event-stream; charset=utf-8", bytes: new TextEncoder().encode(frames) };
}
