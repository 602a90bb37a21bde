import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from "@modelcontextprotocol/server";
import { Exchange } from "./exchange.ts";
import type { Peer } from "./peer.ts";
import { elicitsOf } from "./questions.ts";
import { elicitsIn, sessionId } from "./session.ts";

/**
 * The requests of the revisions before 2026-07-28, each with a transport and a server of its own.
 */
export class Exchanges {
  readonly #serverFor: (peer: Peer) => Server;
  /** Questions at clients, by ids that nobody can guess. */
  readonly #asked = new Map<string, { readonly peer: string; readonly exchange: Exchange }>();
  /** Requests that run, by peer, session and id. */
  readonly #running = new Map<string, Exchange>();

  constructor(serverFor: (peer: Peer) => Server) {
    this.#serverFor = serverFor;
  }

  async handle(peer: Peer, request: Request, message: object): Promise<Response> {
    const session = request.headers.get("mcp-session-id");
    if (session !== null && !elicitsIn(session)) return failed(404, -32_001, "Session not found", message);
    if (isJSONRPCResponse(message)) return this.#answered(peer, message);
    if (isJSONRPCNotification(message)) return this.#told(peer, session, message);
    if (!isJSONRPCRequest(message)) return failed(400, -32_600, "Invalid Request", message);
    if (isInitializeRequest(message)) {
      const own = sessionId(elicitsOf(message.params.capabilities));
      return this.#serve(peer, request, message, own);
    }
    return this.#serve(peer, request, message, session);
  }

  async #serve(
    peer: Peer,
    request: Request,
    message: { readonly id: string | number },
    session: string | null,
  ): Promise<Response> {
    const key = session === null ? randomUUID() : keyOf(peer, session, message.id);
    if (this.#running.has(key))
      return failed(400, -32_600, "Invalid Request: a request with this id runs", message);
    const isNew = isInitializeRequest(message);
    const transport = new WebStandardStreamableHTTPServerTransport({
      ...(isNew && session !== null && { sessionIdGenerator: () => session }),
    });
    const asked: string[] = [];
    const exchange: Exchange = new Exchange(transport, this.#serverFor(peer), {
      asks: (id) => {
        asked.push(id);
        this.#asked.set(id, { peer: peer.id, exchange });
      },
      ended: () => {
        this.#running.delete(key);
        for (const id of asked) this.#asked.delete(id);
      },
    });
    this.#running.set(key, exchange);
    const known = session === null || isNew ? undefined : elicitsIn(session);
    return exchange.serve(request, message, known);
  }

  #answered(peer: Peer, message: { readonly id?: string | number | undefined }): Response {
    const id = String(message.id);
    const asked = this.#asked.get(id);
    if (asked?.peer === peer.id) {
      this.#asked.delete(id);
      asked.exchange.answered(id, message as never);
    }
    return new Response(null, { status: 202 });
  }

  #told(
    peer: Peer,
    session: string | null,
    { method, params }: { readonly method: string; readonly params?: Record<string, unknown> | undefined },
  ): Response {
    const id = params?.["requestId"];
    const isId = typeof id === "string" || typeof id === "number";
    if (method === "notifications/cancelled" && session !== null && isId)
      this.#running.get(keyOf(peer, session, id))?.cancel(id);
    return new Response(null, { status: 202 });
  }
}

function keyOf(peer: Peer, session: string, id: string | number): string {
  return JSON.stringify([peer.id, session, id]);
}

function failed(status: number, code: number, message: string, about: object): Response {
  const { id } = about as { readonly id?: unknown };
  const isId = typeof id === "string" || typeof id === "number";
  return Response.json({ jsonrpc: "2.0", id: isId ? id : null, error: { code, message } }, { status });
}
