import type { ProviderFailure, RouteReply } from "@gantry/sdk";
import type { ReplyHeaders, RouteFailure } from "@gantry/sdk/fill";
import { waitingStatus } from "../shared/turn-status.ts";
import { RefusedRequest } from "./bad-request.ts";

export interface Coded {
  readonly code: string;
  readonly message: string;
}

/** Returns an error as OpenAI's clients read it. */
export function errorBody({ code, message }: Coded, status: number, param: string | null = null): object {
  return { error: { message, type: typeOf(status), param, code } };
}

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Returns the body for what the gateway refuses before a route, in the form of all errors here. */
export function failureBody({ status, code, message }: RouteFailure): object {
  return errorBody({ code, message }, status);
}

export function refusal(status: number, error: Coded, param?: string): RouteReply {
  return { status, body: errorBody(error, status, param) };
}

/**
 * Returns what is wrong with a request that brings its words in `param`; throws again what is wrong
 * with anything else.
 */
export function badRequest(error: unknown, param: string): RouteReply {
  if (error instanceof RefusedRequest) return refusal(error.status, error.why, error.param);
  const { code = "", message } = error as Error & { code?: string };
  if (code === "TOOL_CLIENT_TAKEN") return refusal(400, { code, message }, "tools");
  if (code.startsWith("MEDIA_")) return refusal(413, { code, message }, param);
  throw error;
}

/** Returns the answer to a turn that failed, by what it met. */
export function turnStatus(error: ProviderFailure): {
  readonly status: number;
  readonly headers?: ReplyHeaders;
} {
  return waitingStatus(error) ?? { status: error.code.startsWith("PROVIDER_") ? 502 : 500 };
}
