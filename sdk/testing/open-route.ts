import type { Route, RouteReply, RouteSocket } from "../index.ts";
import type { SocketEnd } from "../fill.ts";
import { askRoute, tracedBy, type HttpReply, type RouteCall } from "./asked-route.ts";
import { answerOf } from "./call-route.ts";

/** The client's end of a WebSocket that {@link openRoute} opened. */
export interface OpenedRoute {
  /** Says a message to the route. */
  send(message: string | Uint8Array): void;
  /** Returns the route's next message; undefined once the route has ended the socket. */
  next(): Promise<string | Uint8Array | undefined>;
  /** Leaves, as a client that closes. */
  close(): void;
  /**
   * Resolves with how the route ended: 1000 without a code of its own. Rejects with what it threw.
   */
  readonly closed: Promise<SocketEnd>;
}

/**
 * Opens the WebSocket of a route as a gateway would; what `callRoute` says of the call holds here.
 * Nothing goes over a network, and nothing is held back. Throws an error with the answer of a route
 * that refuses.
 */
export async function openRoute(route: Route, call: RouteCall = {}): Promise<OpenedRoute> {
  const left = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, left.signal]) : left.signal;
  return askRoute(route, { ...call, signal }, async (reply) => {
    if (!("webSocket" in reply)) throw await refused(route, reply);
    return opened(reply, signal, () => left.abort());
  });
}

type SocketReply = Exclude<RouteReply, HttpReply>;

function opened(reply: SocketReply, signal: AbortSignal, leave: () => void): OpenedRoute {
  const [up, down] = [new Messages(), new Messages()];
  if (signal.aborted) up.end();
  signal.addEventListener("abort", () => up.end(), { once: true });
  const serve = async (): Promise<SocketEnd> => {
    const socket: RouteSocket = { messages: up, send: async (message) => down.put(message) };
    try {
      return (await reply.webSocket(socket)) ?? { code: 1000, reason: "" };
    } finally {
      down.end();
      leave();
    }
  };
  const closed = serve();
  // A test that looks at the messages alone hears of it by their end.
  closed.catch(() => {});
  const reading = down[Symbol.asyncIterator]();
  return {
    send: (message) => up.put(message),
    next: async () => (await reading.next()).value,
    close: leave,
    closed,
  };
}

async function refused(route: Route, reply: HttpReply): Promise<Error> {
  const { status, text } = await answerOf(reply, tracedBy());
  return new Error(`The route ${route.name} answers ${status} instead of a WebSocket: ${text}`);
}

/** Messages in one direction, in order. */
class Messages implements AsyncIterable<string | Uint8Array> {
  readonly #waiting: (string | Uint8Array)[] = [];
  #isOver = false;
  #wake: (() => void) | undefined;

  put(message: string | Uint8Array): void {
    if (!this.#isOver) this.#waiting.push(message);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string | Uint8Array, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as string | Uint8Array;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
