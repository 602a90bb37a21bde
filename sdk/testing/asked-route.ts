import { Value } from "typebox/value";
import { runForCaller } from "../node/caller-around.ts";
import { wrongBody } from "../node/wrong-value.ts";
import { lacking, readTraceparent, scopes, scopesFor, statusOf } from "../fill.ts";
import { GantryError } from "../index.ts";
import type { Caller, Route, RouteReply, RouteRequest, Scope } from "../index.ts";

/** A test's request to a route. */
export interface RouteCall {
  /**
   * With its query, and with values for what the route's own path leaves open:
   * `/api/approvals/7?all=1`. Default: that path.
   */
  readonly path?: string;
  /**
   * Lower-case names. `x-request-id` is the request's id, else `req-test`; a `traceparent` that is
   * exactly one is the request's.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is if it is bytes. */
  readonly body?: unknown;
  /** Default: `127.0.0.1`. */
  readonly peer?: string;
  /** The paired device. Default: `test` for a route with `auth: "token"`. */
  readonly device?: string;
  /** The scopes of that device's token. Default: all. */
  readonly may?: readonly Scope[];
  /** The request's `signal`: aborted when the peer leaves or the gateway begins to stop. */
  readonly signal?: AbortSignal;
  /**
   * The request's `left`, for a stop that gives it time. Default: `signal`, as when the peer
   * leaves.
   */
  readonly left?: AbortSignal;
}

/** A reply that goes over the wire as it is: anything but a WebSocket. */
export type HttpReply = Exclude<RouteReply, { webSocket: unknown }>;

/**
 * Asks a route as a gateway would, and hands what it replies to `take`, in the name of who asks; a
 * coded error of either as the reply that a gateway makes of it.
 */
export async function askRoute<T>(
  route: Route,
  call: RouteCall,
  take: (reply: RouteReply) => Promise<T>,
): Promise<T> {
  const { headers = {}, body, peer = "127.0.0.1", signal = new AbortController().signal } = call;
  const { left = signal } = call;
  const { params, query } = readPath(route.path, call.path ?? route.path);
  const rawBody = bytesOf(body);
  const device = call.device ?? (route.auth === "token" ? "test" : undefined);
  const caller = device === undefined ? undefined : { device, may: call.may ?? scopes };
  const user = route.auth === "token" ? `http:${device}` : undefined;
  const from = { peer, user, device, caller, signal, left };
  const given = { ...tracedBy(headers), ...from, params, query, headers, rawBody };
  const { bodySchema } = route;
  try {
    if (route.auth === "token" && caller) hold(caller, scopesFor(route));
    const wrong = bodySchema && wrongBody(bodySchema, body, Value.Errors(bodySchema, body));
    if (wrong !== undefined)
      return await take(failedReply(route, 400, "BAD_BODY", `The body is wrong: ${wrong}.`));
    const asked = { ...given, body: bodySchema ? body : undefined };
    return await runForCaller(caller, async () => take(await route.handle(asked)));
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    return take(failedReply(route, statusOf(error), error.code, error.message));
  }
}

/** A request's id, and its `traceparent` if it has one. */
export type Traced = Pick<RouteRequest, "id" | "traceparent">;

/** Returns what the headers of a request say of these. */
export function tracedBy(headers: Readonly<Record<string, string>> = {}): Traced {
  const { "x-request-id": id = "req-test", traceparent } = headers;
  return { id, ...(readTraceparent(traceparent) && { traceparent }) };
}

/** Returns what a gateway makes of a failure, in the route's own words if it has some. */
export function failedReply(route: Route, status: number, code: string, message: string): HttpReply {
  return { status, body: route.failureBody?.({ status, code, message }) ?? { error: { code, message } } };
}

/** Throws SCOPE_MISSING. */
function hold(caller: Caller, needed: readonly Scope[]): void {
  const missing = needed.find((one) => !caller.may.includes(one));
  if (missing !== undefined) throw lacking(missing, caller, needed);
}

function readPath(pattern: string, asked: string) {
  const url = new URL(asked, "http://gateway.test");
  const [wanted, given] = [pattern.split("/"), url.pathname.split("/")];
  const fits =
    wanted.length === given.length && wanted.every((part, i) => part.startsWith(":") || part === given[i]);
  if (!fits) throw new Error(`${url.pathname} is no path of the route ${pattern}`);
  const open = wanted.flatMap((part, i) =>
    part.startsWith(":") ? [[part.slice(1), decodeURIComponent(given[i] ?? "")]] : [],
  );
  const query = Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => {
      const [first = "", ...more] = url.searchParams.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
  return { params: Object.fromEntries(open) as Record<string, string>, query };
}

/** Returns the bytes of a body: its own, or JSON. */
export function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
}
