import { GantryError } from "@gantry/sdk";
import type { FastifyReply } from "fastify";
import { errors } from "./errors.ts";

/** HTTP statuses of codes; what is not here follows from the exit code. */
const statuses: Readonly<Record<string, number>> = {
  GATEWAY_BAD_PATH: 400,
  GATEWAY_BAD_REQUEST: 400,
  GATEWAY_BAD_BODY: 400,
  GATEWAY_UNAUTHORIZED: 401,
  GATEWAY_NOT_FOUND: 404,
  GATEWAY_APPROVAL_UNKNOWN: 404,
  GATEWAY_TIMEOUT: 408,
  GATEWAY_APPROVAL_DECIDED: 409,
  SESSION_BUSY: 409,
  GATEWAY_BODY_TOO_LARGE: 413,
  GATEWAY_BODY_TYPE: 415,
  PAIR_LOCKED: 429,
  GATEWAY_RATE_LIMIT: 429,
  GATEWAY_HEADERS_TOO_LARGE: 431,
  AUDIT_FAILED: 500,
  PROVIDER_TIMEOUT: 504,
  NO_PROVIDER: 503,
  PROVIDER_UNKNOWN: 503,
  PROVIDER_NO_KEY: 503,
  GATEWAY_BUSY: 503,
  GATEWAY_STOPPING: 503,
  TURN_CANCELLED: 503,
};
const byExit = { 1: 500, 2: 400, 3: 403 } as const;

export function statusOf(code: string, exit: 1 | 2 | 3 = 1): number {
  return statuses[code] ?? (code.startsWith("PROVIDER_") ? 502 : byExit[exit]);
}

export interface Failure {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

/** What a client is told. Only coded errors speak for themselves; anything else could say too much. */
export function failure(error: unknown): Failure {
  const coded = error instanceof GantryError ? error : errors.GATEWAY_FAILED();
  return {
    status: statusOf(coded.code, coded.exit),
    body: { error: { code: coded.code, message: coded.message } },
  };
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
}

/** Answers with the error's code and sentence, and with `Retry-After` where it has one. */
export function sendFailure(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, body } = failure(error);
  const after = (error as { retryAfter?: unknown } | undefined)?.retryAfter;
  if (typeof after === "number") reply.header("retry-after", after);
  if (status === 408 || status === 413 || status === 503) reply.header("connection", "close");
  return sendJson(reply.code(status), body);
}
