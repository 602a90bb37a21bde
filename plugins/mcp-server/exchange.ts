import { randomUUID } from "node:crypto";
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Server,
  type Transport,
  type WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Elicits } from "./questions.ts";

/** The id of the `initialize` that the server is told again; no client can choose it. */
const again = randomUUID();

export interface ExchangeEvents {
  /** A question goes to the client under this id. */
  asks(id: string): void;
  /** Called once, when the exchange is over. */
  ended(): void;
}

type Answer = Extract<JSONRPCMessage, { readonly result: unknown }>;

/** One request of the earlier revisions with all that belongs to its answer. */
export class Exchange {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #events: ExchangeEvents;
  /** The server's own ids, which begin at zero in each, by those that the client sees. */
  readonly #ids = new Map<string, string | number>();
  readonly #shown: Transport;
  readonly #known = Promise.withResolvers<void>();
  #isOver = false;

  constructor(transport: WebStandardStreamableHTTPServerTransport, server: Server, events: ExchangeEvents) {
    [this.#transport, this.#server, this.#events] = [transport, server, events];
    this.#shown = {
      start: () => transport.start(),
      close: () => transport.close(),
      send: (message, options) => this.#send(message, options),
    };
    const heard: Pick<Transport, "onmessage" | "onclose" | "onerror"> = {
      onmessage: (message, extra) => this.#shown.onmessage?.(message, extra),
      onclose: () => this.#shown.onclose?.(),
      onerror: (error) => this.#shown.onerror?.(error),
    };
    Object.assign(transport, heard);
  }

  /** Answers the request. `known` is what its client said of itself in an earlier one. */
  async serve(request: Request, message: object, known: Elicits | undefined): Promise<Response> {
    const end = (): void => this.#end();
    request.signal.addEventListener("abort", end, { once: true });
    try {
      await this.#server.connect(this.#shown);
      if (known) await this.#tellAgain(known);
      const response = await this.#transport.handleRequest(request, { parsedBody: message });
      if (request.signal.aborted) end();
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isStream && response.body)
        return new Response(whole(response.body, end), {
          status: response.status,
          headers: response.headers,
        });
      end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Hands on what the client says to a question. */
  answered(id: string, message: JSONRPCMessage): void {
    const own = this.#ids.get(id);
    this.#ids.delete(id);
    if (own !== undefined) this.#shown.onmessage?.({ ...message, id: own } as Answer);
  }

  cancel(requestId: string | number): void {
    const params = { requestId };
    this.#shown.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    // A request that is cancelled is not answered, so nothing else ends its stream.
    this.#end();
  }

  /** A new server knows no client, so it is told what this one said at its `initialize`. */
  async #tellAgain({ form, url }: Elicits): Promise<void> {
    const elicitation = { ...(form && { form: {} }), ...(url && { url: {} }) };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { ...((form || url) && { elicitation }) },
      clientInfo: { name: "client", version: "1" },
    };
    this.#shown.onmessage?.({ jsonrpc: "2.0", id: again, method: "initialize", params });
    await this.#known.promise;
  }

  async #send(message: JSONRPCMessage, options?: Parameters<Transport["send"]>[1]): Promise<void> {
    if (isJSONRPCResponse(message) && message.id === again) return this.#known.resolve();
    if (!isJSONRPCRequest(message)) return this.#transport.send(message, options);
    const id = randomUUID();
    this.#ids.set(id, message.id);
    this.#events.asks(id);
    return this.#transport.send({ ...message, id }, options);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.ended();
    void this.#server.close().catch(() => undefined);
  }
}

/** Returns the stream, and calls `over` once it was read to its end or nobody reads it any more. */
function whole(stream: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (value) controller.enqueue(value);
      if (!done) return;
      over();
      controller.close();
    },
    async cancel(reason) {
      over();
      await reader.cancel(reason);
    },
  });
}
