import type { Route } from "@gantry/sdk";
import { runForCaller } from "@gantry/sdk/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "./authenticator.ts";
import type { Limiter } from "./limiter.ts";
import { errors } from "./errors.ts";
import { peerKey } from "./peer.ts";
import { Routed, caller, type Admitted, type Stop } from "./routed.ts";
import { sendReply } from "./send-reply.ts";
import type { OpenBound } from "./open-bound.ts";
import { openWebSocket } from "./web-socket.ts";

export const defaultBodyLimit = 64 * 1024;

export interface RouteGuards {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  /** Told what broke in a route after its answer had begun. */
  readonly brokeLate: (error: Error, route: string, request: string) => void;
  readonly sockets: OpenBound;
  readonly requests: OpenBound;
  readonly stop: Stop;
}

/** Registers a route with hooks of its own: its limit, its auth, its handler, in this order. */
export function registerRoute(app: FastifyInstance, route: Route, guards: RouteGuards): void {
  const { authenticator, limiter } = guards;
  const limit = limiter.of(route);
  const admit = async (request: Admitted, reply: FastifyReply): Promise<void> => {
    const found = route.auth === "token" ? await authenticator.find(request) : undefined;
    await limit?.(request, authenticator.counted(found));
    request[caller] = await authenticator.admit(route, request, reply, found);
  };
  app.route({
    method: route.method,
    url: route.path,
    // No child of the app for each: it would cost a start 100 kB a route.
    onRequest: [admit, refuseEncoded],
    config: { auth: route.auth, failureBody: route.failureBody?.bind(route) } as object,
    bodyLimit: route.bodyLimit ?? defaultBodyLimit,
    handler: (request: Admitted, reply) =>
      runForCaller(request[caller], () => answer(route, guards, request, reply)),
  });
}

/** Has a route answer an admitted request. */
async function answer(
  route: Route,
  { authenticator, brokeLate, sockets, requests, stop }: RouteGuards,
  request: Admitted,
  reply: FastifyReply,
): Promise<unknown> {
  const again = async () => authenticator.admit(route, request, reply, await authenticator.find(request));
  const release = requests.take(peerKey(request.ip), request[caller]?.device);
  if (reply.raw.closed) release();
  else reply.raw.once("close", release);
  const asked = new Routed(route, request, reply, { stop, again });
  const given = await route.handle(asked);
  if (route.auth === "own" && (given.status === 401 || given.status === 403)) {
    await authenticator.recordFailure(request, `${route.name} answered ${given.status}`);
  }
  const broke = (error: unknown): void => {
    // Whoever left has ended the stream.
    if (!reply.raw.destroyed) brokeLate(error as Error, route.path, request.id);
  };
  if (!("webSocket" in given)) return sendReply(reply, given, { ending: asked.ending, broke });
  release();
  const limit = route.bodyLimit ?? defaultBodyLimit;
  const hold = () => sockets.take(peerKey(request.ip), request[caller]?.device);
  return openWebSocket(request, reply, given, { limit, began: stop.began, hold, again, broke });
}

/** Refuses packed bodies, which are not unpacked here: a few bytes could become any number. */
function refuseEncoded({ headers }: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  const encoding = headers["content-encoding"];
  const isPlain = encoding === undefined || encoding.trim().toLowerCase() === "identity";
  done(isPlain ? undefined : errors.GATEWAY_BODY_ENCODING());
}
