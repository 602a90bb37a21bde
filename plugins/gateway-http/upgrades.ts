import { ServerResponse, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";

/** A client that wants to go on as a WebSocket, and what it sent behind its handshake. */
export interface Wish {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const wishes = new WeakMap<IncomingMessage, Wish>();

/** Reads what the client of a WebSocket handshake is on; undefined for any other request. */
export function wishOf(request: IncomingMessage): Wish | undefined {
  return wishes.get(request);
}

/** Returns true for a WebSocket's handshake. Every other upgrade is ignored, as HTTP allows. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";
}

/**
 * Returns true for a handshake that is the only request on its connection: behind another one
 * nothing could be answered.
 */
export function mayUpgrade(request: IncomingMessage): boolean {
  return isHandshake(request) && !isAnswering(request.socket);
}

/** Returns true if the socket carries a response, which Node keeps there. */
function isAnswering(socket: object): boolean {
  // oxlint-disable-next-line no-underscore-dangle -- Node's own name
  return Boolean((socket as { readonly _httpMessage?: unknown })._httpMessage);
}

/**
 * Has a handshake walk the way of every request: gate, limits, authentication, audit. A Node that
 * cannot tell a handshake from other upgrades (before 22.21 and 24.9) makes no upgrade at all.
 */
export function takeHandshakes({ server }: FastifyInstance): void {
  if (!("shouldUpgradeCallback" in server)) return;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The end of a connection tells of its failure.
    socket.on("error", () => {});
    wishes.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as IncomingMessage["socket"]);
    response.once("finish", () => {
      if (response.writableEnded) request.socket.destroySoon();
    });
    // Until the route has answered nobody reads what comes, and a client that leaves is noticed all
    // the same.
    socket.once("end", () => {
      if (response.statusCode !== 101 && !response.writableEnded) socket.destroy();
    });
    server.emit("request", request, response);
  });
}
