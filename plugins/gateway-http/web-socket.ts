import { validateHeaderName, validateHeaderValue } from "node:http";
import { GantryError, type RouteReply } from "@gantry/sdk";
import type { SocketEnd } from "@gantry/sdk/fill";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { errors } from "./errors.ts";
import { PeerSocket } from "./peer-socket.ts";
import { protocolFor } from "./protocol-token.ts";
import { heartbeatMs, lastMs } from "./timeouts.ts";
import { wishOf, type Wish } from "./upgrades.ts";

export type SocketReply = Extract<RouteReply, { webSocket: unknown }>;

export interface Opening {
  /** Bytes of one message. */
  readonly limit: number;
  /** Aborted when the gateway begins to stop. */
  readonly began: AbortSignal;
  /** Counts the socket and returns what ends that. Throws GATEWAY_SOCKETS if there are too many. */
  hold(): () => void;
  /** Throws if the client may not come in any more. */
  again(): Promise<unknown>;
  /** Takes what a route throws without a code. */
  broke(error: unknown): void;
}

/** Unanswered pings after which a client is taken for gone. */
const mostMissed = 2;
const goingAway = 1001;
const refused = 1008;
const failed = 1011;

/**
 * Ends a handshake, and serves the WebSocket until its route is done. Resolves once it is open.
 * Throws GATEWAY_UPGRADE for another request, GATEWAY_BAD_REQUEST for a wrong handshake,
 * GATEWAY_SOCKETS.
 */
export async function openWebSocket(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: SocketReply,
  opening: Opening,
): Promise<void> {
  if (!wishOf(request.raw)) throw errors.GATEWAY_UPGRADE();
  const release = opening.hold();
  const ws = await shakeHands(request, answer.headers ?? {}, opening.limit).catch((error: unknown) => {
    release();
    throw error;
  });
  ws.once("close", release);
  reply.hijack();
  reply.code(101);
  // Counts and hooks see the answer now, not when the socket ends.
  reply.raw.emit("finish");
  ws.on("error", () => {});
  attend(ws, opening);
  void serve(ws, answer, opening);
}

async function shakeHands(
  { raw }: FastifyRequest,
  headers: Readonly<Record<string, string>>,
  limit: number,
): Promise<WebSocket> {
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  const { WebSocketServer } = await import("ws");
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: limit,
    // Nothing from outside is unpacked in this process.
    perMessageDeflate: false,
    autoPong: false,
    closeTimeout: 10 * lastMs,
    handleProtocols: protocolFor,
  };
  const server = new WebSocketServer(options);
  const { socket, head } = wishOf(raw) as Wish;
  // The client may have left meanwhile.
  if (!socket.readable || !socket.writable) throw errors.GATEWAY_BAD_REQUEST();
  return new Promise((resolve, reject) => {
    server.on("wsClientError", () => reject(errors.GATEWAY_BAD_REQUEST()));
    server.on("headers", (answered) => void answered.push(...lines));
    server.handleUpgrade(raw, socket, head, resolve);
  });
}

function headerLine(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}`;
}

/** Runs the route's half and closes with what it comes to. */
async function serve(ws: WebSocket, answer: SocketReply, { began, broke }: Opening): Promise<void> {
  try {
    const { code, reason }: SocketEnd = (await answer.webSocket(new PeerSocket(ws))) ?? normal;
    ws.close(code, reason);
  } catch (error) {
    if (began.aborted) return ws.close(goingAway, began.reason.code);
    if (!(error instanceof GantryError)) broke(error);
    ws.close(failed, codeOf(error));
  }
}

const normal = { code: 1000, reason: "" };

function codeOf(error: unknown): string {
  return error instanceof GantryError ? error.code : errors.GATEWAY_FAILED.code;
}

/**
 * Ends the socket of a client that is gone, that may not come in any more, and of a gateway that
 * stops.
 */
function attend(ws: WebSocket, { began, again }: Opening): void {
  let missed = 0;
  const alive = (): void => void (missed = 0);
  ws.on("pong", alive).on("message", alive);
  const beat = (): void => {
    // The answer of a client that is held back is not read.
    if (ws.isPaused) alive();
    else if (missed >= mostMissed) return ws.terminate();
    missed += 1;
    ws.ping();
    again().catch((error: unknown) => ws.close(refused, codeOf(error)));
  };
  const timer = setInterval(beat, heartbeatMs);
  let last: NodeJS.Timeout | undefined;
  const stop = (): void => {
    ws.close(goingAway, began.reason.code);
    last = setTimeout(() => ws.terminate(), lastMs);
  };
  if (began.aborted) stop();
  else began.addEventListener("abort", stop, { once: true });
  ws.once("close", () => {
    clearInterval(timer);
    clearTimeout(last);
    began.removeEventListener("abort", stop);
  });
}
