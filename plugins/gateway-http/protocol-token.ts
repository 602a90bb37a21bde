import type { IncomingMessage } from "node:http";
import { isHandshake } from "./upgrades.ts";

/** The subprotocol that a browser asks for beside the one that carries its token. */
const plain = "gantry";
const carrier = "gantry.bearer.";

/**
 * Reads the token that a browser, which can set no header of a handshake, offers as a subprotocol:
 * `new WebSocket(url, ["gantry", "gantry.bearer.<token>"])`. Undefined if it offers none or
 * several.
 */
export function protocolToken(request: IncomingMessage): string | undefined {
  if (!isHandshake(request)) return undefined;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const carrying = offered.filter((one) => one.startsWith(carrier));
  return carrying.length === 1 ? carrying[0]?.slice(carrier.length) : undefined;
}

/** Chooses the subprotocol that the client is told: never the one with its token. */
export function protocolFor(offered: ReadonlySet<string>): string | false {
  return offered.has(plain) && plain;
}
