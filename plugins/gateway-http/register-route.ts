import type { Route } from "@gantry/sdk";
import { runForCaller } from "@gantry/sdk/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "./authenticator.ts";
import type { Limiter } from "./limiter.ts";
import { errors } from "./errors.ts";
import { peerKey } from "./peer.ts";
import { Routed, caller, type Admitted, type Stop } from "./routed.ts";
import { sendReply } from "./send-reply.ts";
import type { SocketBound } from "./socket-bound.ts";
import { openWebSocket } from "./web-socket.ts";

export const defaultBodyLimit = 64 * 1024;

export interface RouteGuards {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  /** Told what broke in a route after its answer had begun. */
  readonly brokeLate: (error: Error, route: string, request: string) => void;
  readonly sockets: SocketBound;
  readonly stop: Stop;
}

/** Gives a route an encapsulated child of its own: its limit, its auth, its handler, in this order. */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  { authenticator, limiter, brokeLate, sockets, stop }: RouteGuards,
): void {
  const limit = limiter.of(route);
  void app.register(async (child) => {
    child.addHook("onRequest", async (request: Admitted, reply) => {
      const found = route.auth === "token" ? await authenticator.find(request) : undefined;
      await limit?.(request, authenticator.counted(found));
      request[caller] = await authenticator.admit(route, request, reply, found);
    });
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
          const asked = new Routed(route, request, reply, stop);
          const answer = await route.handle(asked);
          if (route.auth === "own" && (answer.status === 401 || answer.status === 403)) {
            await authenticator.recordFailure(request, `${route.name} answered ${answer.status}`);
          }
          const broke = (error: unknown): void => {
            // Whoever left has ended the stream.
            if (!reply.raw.destroyed) brokeLate(error as Error, route.path, request.id);
          };
          if ("webSocket" in answer) {
            const limit = route.bodyLimit ?? defaultBodyLimit;
            const again = async () =>
              authenticator.admit(route, request, reply, await authenticator.find(request));
            const hold = () => sockets.take(peerKey(request.ip), request[caller]?.device);
            const opening = { limit, began: stop.began, hold, again, broke };
            return openWebSocket(request, reply, answer, opening);
          }
          return sendReply(reply, answer, { ending: asked.ending, broke });
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
