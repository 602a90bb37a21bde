import { Readable } from "node:stream";
import type { RouteReply } from "@gantry/sdk";
import type { SocketReply } from "./web-socket.ts";
import type { FastifyReply } from "fastify";
import { eventStream } from "./event-stream.ts";
import { sendJson } from "./failures.ts";
import { heartbeatMs } from "./timeouts.ts";

export interface Sending {
  /** Aborted when a stream of events has its last half second. */
  readonly ending: AbortSignal;
  /** Takes what a stream throws, which the client cannot be told any more. */
  broke(error: unknown): void;
}

/** Sends what a route answers. A stream is not begun for HEAD: nobody would read it to an end. */
export function sendReply(
  reply: FastifyReply,
  answer: Exclude<RouteReply, SocketReply>,
  { ending, broke }: Sending,
): FastifyReply {
  const { status, headers = {} } = answer;
  const isHead = reply.request.method === "HEAD";
  reply.code(status);
  if ("events" in answer) {
    reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no").headers(headers);
    if (isHead) return reply.send(Readable.from([]));
    return reply.send(eventStream(answer.events, heartbeatMs, broke, ending));
  }
  if ("body" in answer) return sendJson(reply.headers(headers), answer.body);
  if ("text" in answer) return reply.type("text/plain; charset=utf-8").headers(headers).send(answer.text);
  reply.type("application/octet-stream").headers(headers);
  if ("bytes" in answer) return reply.send(Buffer.from(answer.bytes));
  // The next piece is asked for once there is room for it.
  const pieces = isHead ? [] : answer.stream;
  return reply.send(Readable.from(pieces, { objectMode: false }).once("error", broke));
}
