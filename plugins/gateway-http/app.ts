import type { IncomingMessage, ServerResponse } from "node:http";
import { fastify } from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GantryError, type Logger } from "@gantry/sdk";
import { statusOf } from "@gantry/sdk/fill";
import type { Tls } from "./bind.ts";
import { holdContinue, readBody } from "./body.ts";
import { errors } from "./errors.ts";
import { defaultBodyLimit } from "./register-route.ts";
import { createFailureLog, onClientError, sendFailure } from "./failures.ts";
import { originForm, requestId } from "./request-line.ts";
import { arrivalMs, keepAliveMs } from "./timeouts.ts";
import { mayUpgrade, takeHandshakes } from "./upgrades.ts";

export interface AppOptions {
  readonly tls: Tls | undefined;
  readonly trusted: (address: string | undefined) => boolean;
  readonly log: Logger;
}

/**
 * Bodies are checked by their own schema and written as they are, so neither compiler is needed,
 * nor loaded.
 */
const unchecked = {
  schemaController: {
    compilersFactory: {
      buildValidator: () => () => () => true,
      buildSerializer: () => () => JSON.stringify,
    } as never,
  },
};

/** Makes the framework's app with our limits, our way to read a body and our errors. */
export function createApp({ tls, trusted, log }: AppOptions): FastifyInstance {
  const times = {
    headersTimeout: arrivalMs,
    requestTimeout: arrivalMs,
    // An idle gateway wakes for it: a slow client has at most a fifth more time.
    connectionsCheckingInterval: Math.min(2_000, arrivalMs / 4),
  };
  // Node's own answer to a missing Host has no body; the gate's has.
  const http = { ...times, requireHostHeader: false, shouldUpgradeCallback: mayUpgrade };
  const app = fastify({
    ...(tls ? { https: { ...tls, ...http, handshakeTimeout: arrivalMs } } : { http }),
    requestTimeout: arrivalMs,
    keepAliveTimeout: keepAliveMs,
    trustProxy: (address) => trusted(address),
    genReqId: requestId,
    rewriteUrl: (request) => originForm(request as IncomingMessage),
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 8_192 },
    clientErrorHandler: onClientError,
    frameworkErrors: (error, _request, reply) =>
      void sendFailure(reply as unknown as FastifyReply, inOurWords(error)),
    ...unchecked,
  }) as unknown as FastifyInstance;
  const asRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void app.server.emit("request", request, response);
  // Node's own answer to an Expect that it does not know would go out before any hook: here it is a
  // request like any other.
  app.server.on("checkExpectation", asRequest);
  // So is one that waits for `100 Continue`, which is sent once its body is wanted.
  app.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    holdContinue(request, response);
    asRequest(request, response);
  });
  takeHandshakes(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) =>
    readBody(payload as FastifyRequest["raw"], request.routeOptions.bodyLimit ?? defaultBodyLimit, done),
  );
  const logFailure = createFailureLog(log);
  app.setErrorHandler((error, request, reply) => {
    const said = inOurWords(error as Error & { code?: string });
    const { url, config } = request.routeOptions;
    const broken = !(said instanceof GantryError) || statusOf(said) === 500;
    if (broken) logFailure(said, url, String(request.id));
    // Internal failures are told only to paired devices.
    return sendFailure(
      reply,
      broken && (config as { auth?: string }).auth !== "token" ? errors.GATEWAY_FAILED() : said,
    );
  });
  return app;
}

/** Returns an app that only knows routes and never listens. */
export function createPlainApp(): FastifyInstance {
  return fastify({ exposeHeadRoutes: false, ...unchecked });
}

/** Returns the framework's own refusals in our words, and everything else as it is. */
function inOurWords(error: Error & { code?: string }): Error {
  if (error.code === "FST_ERR_BAD_URL" || error.code === "FST_ERR_MAX_PARAM_LENGTH")
    return errors.GATEWAY_BAD_PATH();
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return errors.GATEWAY_BODY_TYPE();
  return error.code?.startsWith("FST_ERR_CTP") ? errors.GATEWAY_BAD_REQUEST() : error;
}
