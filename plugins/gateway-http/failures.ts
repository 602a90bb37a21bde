import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { counted, GantryError, type Logger, type Route } from "@gantry/sdk";
import { statusOf } from "@gantry/sdk/fill";
import type { FastifyReply } from "fastify";
import { isContinueHeld } from "./body.ts";
import { errors } from "./errors.ts";

export interface Failure {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

/**
 * Returns the answer to a client. Only coded errors speak for themselves; others could say too
 * much.
 */
export function failure(error: unknown): Failure {
  const coded = error instanceof GantryError ? error : errors.GATEWAY_FAILED();
  return {
    status: statusOf(coded),
    body: { error: { code: coded.code, message: coded.message } },
  };
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
}

/** Statuses after which nobody can tell where the next request begins, or none is to come. */
const closing: ReadonlySet<number> = new Set([408, 413, 501, 503]);

/**
 * Answers with the error's code and sentence, and with any `Retry-After` and `Allow` of its own.
 */
export function sendFailure(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, body } = failure(error);
  const { retryAfter, allow } = (error ?? {}) as { readonly retryAfter?: unknown; readonly allow?: unknown };
  if (typeof retryAfter === "number") reply.header("retry-after", retryAfter);
  if (typeof allow === "string") reply.header("allow", allow);
  if (body.error.code === errors.GATEWAY_BODY_ENCODING.code) reply.header("accept-encoding", "identity");
  if (status === errors.GATEWAY_UPGRADE.status)
    reply.headers({ upgrade: "websocket", connection: "Upgrade" });
  if (closing.has(status) || isContinueHeld(reply.request.raw)) reply.header("connection", "close");
  const { accept = "" } = reply.request.headers;
  if (accept.includes("text/html")) return sendToReader(reply.code(status), body.error.message);
  const { failureBody } = (reply.request.routeOptions?.config ?? {}) as Pick<Route, "failureBody">;
  return sendJson(reply.code(status), failureBody?.({ status, ...body.error }) ?? body);
}

/** Answers a browser that opens an address: in words, and it asks again if the service stops. */
function sendToReader(reply: FastifyReply, message: string): FastifyReply {
  if (reply.statusCode === errors.GATEWAY_STOPPING.status) reply.header("refresh", "2");
  return reply.header("content-type", "text/plain; charset=utf-8").send(message);
}

/**
 * Answers what never became a request, and closes. If the answer to a whole request before it has
 * not begun yet, that one goes out first, and what came behind it is left unread.
 */
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // While an answer is under way, as node:http itself looks it up, another one would be read as a
  // part of it.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: ServerResponse | null };
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  if (current?.headersSent) return void socket.destroy();
  if (current?.req.complete) {
    current.shouldKeepAlive = false;
    return void current.once("finish", () => socket.destroySoon());
  }
  const { status, body } = failure(reason(error.code));
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(
    `${head}Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}

function reason(code: string | undefined): GantryError {
  if (code === "HPE_HEADER_OVERFLOW") return errors.GATEWAY_HEADERS_TOO_LARGE();
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? errors.GATEWAY_TIMEOUT() : errors.GATEWAY_BAD_REQUEST();
}

const pauseMs = 60_000;
const maxKinds = 100;

/**
 * Says a failure once a minute at most, and then how often it came meanwhile: a full disk fails
 * every request.
 */
export function createFailureLog(
  log: Logger,
  now: () => number = Date.now,
): (error: Error, route: string | undefined, trace?: string) => void {
  const kinds = new Map<string, { until: number; unsaid: number }>();
  return (error, route, trace) => {
    const kind = `${route} ${error.message}`;
    const last = kinds.get(kind);
    if (last && last.until > now()) {
      last.unsaid += 1;
      return;
    }
    if (kinds.size >= maxKinds) kinds.clear();
    kinds.set(kind, { until: now() + pauseMs, unsaid: 0 });
    const times = last?.unsaid ? ` (${counted(last.unsaid, "more time")} in the last minutes)` : "";
    log.error({ err: error, route, trace }, `A request failed: ${error.message}${times}`);
  };
}
