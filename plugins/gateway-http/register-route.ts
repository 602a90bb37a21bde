import type { Caller, Route, RouteReply, RouteRequest } from "@gantry/sdk";
import { runForCaller } from "@gantry/sdk/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseBody } from "./body.ts";
import type { Authenticator } from "./authenticator.ts";
import { eventStream } from "./event-stream.ts";
import type { Limiter } from "./limiter.ts";
import { traceparentOf } from "./request-line.ts";
import { errors } from "./errors.ts";
import { sendJson } from "./failures.ts";
import { heartbeatMs } from "./timeouts.ts";

export const defaultBodyLimit = 64 * 1024;

export interface RouteGuards {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  /** Told what broke in a route after its answer had begun. */
  readonly brokeLate: (error: Error, route: string, request: string) => void;
}

/** What a request found out on its way in. */
const caller = Symbol("caller");
type Admitted = FastifyRequest & { [caller]?: Caller | undefined };

/** Gives a route an encapsulated child of its own: its limit, its auth, its handler, in this order. */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  { authenticator, limiter, brokeLate }: RouteGuards,
): void {
  const limit = limiter.of(route);
  void app.register(async (child) => {
    if (limit) child.addHook("onRequest", limit);
    if (route.auth === "token") {
      child.addHook("onRequest", async (request: Admitted, reply) => {
        request[caller] = await authenticator.admit(route, request, reply);
      });
    }
    child.addHook("onRequest", refuseEncoded);
    child.route({
      method: route.method,
      url: route.path,
      config: { auth: route.auth, failureBody: route.failureBody?.bind(route) } as object,
      bodyLimit: route.bodyLimit ?? defaultBodyLimit,
      schema: {
        summary: route.summary,
        ...(route.auth === "token" && { security: [{ token: [route.may ?? "manage"] }] }),
        ...(route.bodySchema && { body: route.bodySchema }),
        response: { 200: route.replySchema ?? undescribed, "4xx": failureSchema, "5xx": failureSchema },
      },
      handler: (request: Admitted, reply) =>
        runForCaller(request[caller], async () => {
          const answer = await route.handle(new Routed(route, request, reply));
          if (route.auth === "own" && (answer.status === 401 || answer.status === 403)) {
            await authenticator.recordFailure(request, `${route.name} answered ${answer.status}`);
          }
          return send(reply, answer, (error) => {
            // Whoever left has ended the events.
            if (!reply.raw.destroyed) brokeLate(error as Error, route.path, request.id);
          });
        }),
    });
  });
}

/** What is packed is not unpacked here: a few bytes could become any number. */
function refuseEncoded({ headers }: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  const encoding = headers["content-encoding"];
  const isPlain = encoding === undefined || encoding.trim().toLowerCase() === "identity";
  done(isPlain ? undefined : errors.GATEWAY_BODY_ENCODING());
}

/** What a route does not describe may be JSON, text or events: the description says nothing of it. */
const undescribed = { type: "null" };

const failureSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    },
  },
};

/** What costs something to know is found out when it is asked for. */
class Routed implements RouteRequest {
  readonly #request: Admitted;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;
  readonly rawBody: Uint8Array;
  readonly body: unknown;

  constructor(route: Route, request: Admitted, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
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
    return (this.#signal ??= leaving(this.#reply));
  }
}

/** Aborted when the peer leaves before it was answered. */
function leaving(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  if (reply.raw.destroyed) abort.abort();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) abort.abort();
  });
  return abort.signal;
}

function send(reply: FastifyReply, answer: RouteReply, broke: (error: unknown) => void): FastifyReply {
  reply.code(answer.status);
  if ("events" in answer) {
    reply.headers({ "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
    reply.headers(answer.headers ?? {});
    return reply.send(eventStream(answer.events, heartbeatMs, broke));
  }
  if ("body" in answer) return sendJson(reply.headers(answer.headers ?? {}), answer.body);
  const isText = "text" in answer;
  reply.type(isText ? "text/plain; charset=utf-8" : "application/octet-stream");
  reply.headers(answer.headers ?? {});
  return reply.send(isText ? answer.text : Buffer.from(answer.bytes));
}
