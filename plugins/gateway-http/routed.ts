import type { Caller, Route, RouteRequest } from "@gantry/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import { parseBody } from "./body.ts";
import { traceparentOf } from "./request-line.ts";

/** What a request found out on its way in. */
export const caller = Symbol("caller");
export type Admitted = FastifyRequest & { [caller]?: Caller | undefined };

/** A stop of the gateway. Both signals have the failure that clients are told as their reason. */
export interface Stop {
  readonly began: AbortSignal;
  /** Aborted when the time for requests in hand is up. */
  readonly over: AbortSignal;
}

/** A request as a route sees it. What costs something to know is found out when it is asked for. */
export class Routed implements RouteRequest {
  readonly #request: Admitted;
  readonly #reply: FastifyReply;
  readonly #stop: Stop;
  #gone: AbortSignal | undefined;
  #left: AbortSignal | undefined;
  #signal: AbortSignal | undefined;
  readonly rawBody: Uint8Array;
  readonly body: unknown;

  constructor(route: Route, request: Admitted, reply: FastifyReply, stop: Stop) {
    this.#request = request;
    this.#reply = reply;
    this.#stop = stop;
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
    return (this.#gone ??= leaving(this.#reply));
  }
}

/** Aborted when the peer leaves before it was answered, and after HEAD, which takes no more. */
function leaving(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  if (reply.raw.destroyed) abort.abort();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished || reply.request.method === "HEAD") abort.abort();
  });
  return abort.signal;
}
