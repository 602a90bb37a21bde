import type { RouteReply, RouteRequest } from "@gantry/sdk";
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import { DoorServers } from "./door-server.ts";
import { Exchanges } from "./exchanges.ts";
import type { DoorNeeds } from "./needs.ts";
import type { Peer } from "./peer.ts";

/** Streams of changes that are open for all clients; nothing is told on them but that they live. */
const maxSubscriptions = 32;

/** `POST /mcp`: each request has a transport and a server of its own, which end with it. */
export class HttpDoor {
  readonly #servers: DoorServers;
  readonly #exchanges: Exchanges;
  readonly #later: McpHttpHandler;

  constructor(needs: DoorNeeds, signal: AbortSignal) {
    this.#servers = new DoorServers(needs, signal);
    this.#exchanges = new Exchanges((peer) => this.#servers.make(peer, "legacy"));
    this.#later = createMcpHandler(
      ({ authInfo }) => this.#servers.make(authInfo?.extra?.["peer"] as Peer, "modern"),
      { legacy: "reject", maxSubscriptions },
    );
    signal.addEventListener("abort", () => void this.#later.close(), { once: true });
  }

  async handle(asked: RouteRequest): Promise<RouteReply> {
    const request = requestOf(asked);
    if (!isJsonContentType(request.headers.get("content-type")))
      return refusal(415, "Unsupported Media Type: Content-Type must be application/json");
    const message = parsed(asked.rawBody);
    if (message === undefined) return refusal(400, "Parse error: Invalid JSON", -32_700);
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return refusal(400, "Invalid Request: send one message, which is an object", -32_600);
    const peer = peerOf(asked);
    const response = (await isLegacyRequest(request, message))
      ? await this.#exchanges.handle(peer, request, message)
      : await this.#later.fetch(request, { parsedBody: message, authInfo: authOf(peer) });
    return replyOf(response);
  }
}

function peerOf({ device = "local", caller, id, traceparent }: RouteRequest): Peer {
  return { id: device, caller, trace: id, traceparent };
}

/** The gateway has checked the token; the handler only hands on whose it is. */
function authOf(peer: Peer): { token: string; clientId: string; scopes: string[]; extra: { peer: Peer } } {
  return { token: "", clientId: peer.id, scopes: [...(peer.caller?.may ?? [])], extra: { peer } };
}

function requestOf({ headers, rawBody, left, signal }: RouteRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === "authorization" ? [] : [[name, [value].flat().join(", ")]],
  );
  const body = new Uint8Array(rawBody);
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: given,
    body,
    signal: left ?? signal,
  });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function refusal(status: number, message: string, code: number = -32_000): RouteReply {
  return { status, body: { jsonrpc: "2.0", id: null, error: { code, message } } };
}

async function replyOf(response: Response): Promise<RouteReply> {
  const { status, body } = response;
  const { connection: _, ...headers } = Object.fromEntries(response.headers);
  if (!body) return { status, text: "", headers };
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  if (!isStream) return { status, bytes: new Uint8Array(await response.arrayBuffer()), headers };
  return { status, stream: body as AsyncIterable<Uint8Array>, headers };
}
