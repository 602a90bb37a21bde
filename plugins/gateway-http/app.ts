import { fastify } from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GantryError, type Logger } from "@gantry/sdk";
import type { Tls } from "./bind.ts";
import { readBody } from "./body.ts";
import { onClientError } from "./client-error.ts";
import { errors } from "./errors.ts";
import { createFailureLog } from "./failure-log.ts";
import { defaultBodyLimit } from "./mount.ts";
import { sendFailure, statusOf } from "./status.ts";

export interface AppOptions {
  readonly tls: Tls | undefined;
  readonly trusted: (address: string | undefined) => boolean;
  /** Milliseconds for the headers and body of one request. */
  readonly arrivalMs: number;
  readonly log: Logger;
}

/** Bodies are checked by their own schema and written as they are, so neither compiler is needed, nor loaded. */
const unused = { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify };

/** The framework with our limits, our way to read a body and our errors. */
export function createApp({ tls, trusted, arrivalMs, log }: AppOptions): FastifyInstance {
  const times = {
    headersTimeout: arrivalMs,
    requestTimeout: arrivalMs,
    connectionsCheckingInterval: Math.min(500, arrivalMs / 4),
  };
  // Node's own answer to a missing Host has no body; the gate's has.
  const http = { ...times, requireHostHeader: false };
  const app = fastify({
    ...(tls ? { https: { ...tls, ...http, handshakeTimeout: arrivalMs } } : { http }),
    requestTimeout: arrivalMs,
    keepAliveTimeout: 30_000,
    trustProxy: (address) => trusted(address),
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 8_192 },
    clientErrorHandler: onClientError,
    frameworkErrors: (error, _request, reply) =>
      void sendFailure(reply as unknown as FastifyReply, inOurWords(error)),
    schemaController: { compilersFactory: unused as never },
  }) as unknown as FastifyInstance;
  // Node's own answer to an Expect that it does not know would go out before any hook: here it is a request like any other.
  app.server.on(
    "checkExpectation",
    (request, response) => void app.server.emit("request", request, response),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) =>
    readBody(payload as FastifyRequest["raw"], request.routeOptions.bodyLimit ?? defaultBodyLimit, done),
  );
  const logFailure = createFailureLog(log);
  app.setErrorHandler((error, request, reply) => {
    const said = inOurWords(error as Error & { code?: string });
    const { url, config } = request.routeOptions;
    const broken = !(said instanceof GantryError) || statusOf(said.code, said.exit) === 500;
    if (broken) logFailure(said, url);
    // What broke inside is for paired devices only.
    return sendFailure(
      reply,
      broken && (config as { auth?: string }).auth !== "token" ? errors.GATEWAY_FAILED() : said,
    );
  });
  return app;
}

/** The framework's own refusals in our words; everything else as it is. */
function inOurWords(error: Error & { code?: string }): Error {
  if (error.code === "FST_ERR_BAD_URL" || error.code === "FST_ERR_MAX_PARAM_LENGTH")
    return errors.GATEWAY_BAD_PATH();
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return errors.GATEWAY_BODY_TYPE();
  return error.code?.startsWith("FST_ERR_CTP") ? errors.GATEWAY_BAD_REQUEST() : error;
}
