import { GantryError, type Caller, type Route, type RouteRequest } from "@gantry/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import { parseBody } from "./body.ts";
import { traceparentOf } from "./request-line.ts";
import { heartbeatMs } from "./timeouts.ts";

/** The key of the caller that a request was found to come from. */
export const caller = Symbol("caller");
export type Admitted = FastifyRequest & { [caller]?: Caller | undefined };

/** A stop of the gateway. Both signals have the failure that clients are told as their reason. */
export interface Stop {
  readonly began: AbortSignal;
  /** Aborted when the time for requests in hand is up. */
  readonly over: AbortSignal;
}

interface Surroundings {
  readonly stop: Stop;
  /** Throws if the client may not come in any more. */
  again(): Promise<unknown>;
}

/** A request as a route sees it. What costs something to know is found out when it is asked for. */
export class Routed implements RouteRequest {
  readonly #request: Admitted;
  readonly #reply: FastifyReply;
  readonly #stop: Stop;
  readonly #again: Surroundings["again"];
  readonly #isToken: boolean;
  #gone: AbortSignal | undefined;
  #left: AbortSignal | undefined;
  #signal: AbortSignal | undefined;
  readonly rawBody: Uint8Array;
  readonly body: unknown;

  constructor(route: Route, request: Admitted, reply: FastifyReply, { stop, again }: Surroundings) {
    this.#request = request;
    this.#reply = reply;
    this.#stop = stop;
    this.#again = again;
    this.#isToken = route.auth === "token";
    this.rawBody = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    this.body =
      route.bodySchema && parseBody(this.rawBody, request.headers["content-type"], route.bodySchema);
  }

  get params(): RouteRequest["params"] {
    return this.#request.params as RouteRequest["params"];
  }
  get query(): RouteRequest["query"] {
    return this.#request.query as RouteRequest["query"];
  }
  get headers(): RouteRequest["headers"] {
    return this.#request.headers;
  }
  get peer(): string {
    return this.#request.ip;
  }
  get user(): string | undefined {
    return this.#isToken ? `http:${this.device ?? "local"}` : undefined;
  }
  get device(): string | undefined {
    return this.#request[caller]?.device;
  }
  get caller(): Caller | undefined {
    return this.#request[caller];
  }
  get traceparent(): string | undefined {
    return traceparentOf(this.#request.raw);
  }
  get id(): string {
    return this.#request.id;
  }
  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.#leaving(), this.#stop.began]));
  }
  get left(): AbortSignal {
    return (this.#left ??= AbortSignal.any([this.#leaving(), this.#stop.over]));
  }
  /** The part of a stop that ends events of this request: a route that reads `left` has its end. */
  get ending(): AbortSignal {
    return this.#left ? this.#stop.over : this.#stop.began;
  }

  #leaving(): AbortSignal {
    return (this.#gone ??= leaving(this.#reply, this.#again));
  }
}

/**
 * Returns a signal that is aborted when the peer leaves before it was answered, and after HEAD,
 * which takes no more; also once the peer may not come in any more, which is asked again as often
 * as of a WebSocket.
 */
function leaving(reply: FastifyReply, again: Surroundings["again"]): AbortSignal {
  const abort = new AbortController();
  const refused = (error: unknown): void => {
    // A store that fails now is asked again.
    if (error instanceof GantryError) abort.abort(error);
  };
  const timer = setInterval(() => void again().catch(refused), heartbeatMs).unref();
  abort.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  if (reply.raw.destroyed) abort.abort();
  reply.raw.once("close", () => {
    clearInterval(timer);
    if (!reply.raw.writableFinished || reply.request.method === "HEAD") abort.abort();
  });
  return abort.signal;
}
