import { Value } from "typebox/value";
import { runForCaller } from "../node/caller-around.ts";
import { wrongBody } from "../node/wrong-value.ts";
import { eventFrame, lacking, readTraceparent, scopes, type RouteFailure } from "../fill.ts";
import { GantryError } from "../index.ts";
import type { Caller, Route, RouteReply, RouteRequest, Scope } from "../index.ts";

/** What a test asks a route with. */
export interface RouteCall {
  /** With its query, and with values for what the route's own path leaves open: `/api/approvals/7?all=1`. Default: that path. */
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
  /** What the token of that device may. Default: all. */
  readonly may?: readonly Scope[];
  /** The request's `signal`: aborted when the peer leaves or the gateway begins to stop. */
  readonly signal?: AbortSignal;
  /** The request's `left`, for a stop that gives it time. Default: `signal`, as when the peer leaves. */
  readonly left?: AbortSignal;
}

export interface RouteAnswer {
  readonly status: number;
  /** With the `x-request-id` and the `traceparent` that a gateway adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; events are written as they go over the wire, after the last of them. */
  readonly text: string;
  readonly bytes: Uint8Array;
  json(): any;
}

const statusOfExit = { 1: 500, 2: 400, 3: 403 } as const;

/**
 * Asks a route as a gateway would: path and query read, what the token may held to the route's
 * `may`, the body held to `bodySchema`, coded errors made an answer. What only a gateway has is left
 * out: authentication, limits, its own choice of a status. Throws what the route throws without a
 * code.
 */
export async function callRoute(route: Route, call: RouteCall = {}): Promise<RouteAnswer> {
  const { headers = {}, body, peer = "127.0.0.1", signal = new AbortController().signal } = call;
  const { left = signal } = call;
  const traced = tracedBy(headers);
  const { params, query } = readPath(route.path, call.path ?? route.path);
  const rawBody = bytesOf(body);
  const device = call.device ?? (route.auth === "token" ? "test" : undefined);
  const caller = device === undefined ? undefined : { device, may: call.may ?? scopes };
  const from = { peer, device, caller, signal, left };
  const given = { ...traced, ...from, params, query, headers, rawBody };
  const { bodySchema } = route;
  const answered = async (reply: RouteReply): Promise<RouteAnswer> => answerOf(reply, traced);
  const failed = (status: number, code: string, message: string): Promise<RouteAnswer> =>
    answered(failure(route, { status, code, message }));
  try {
    if (route.auth === "token" && caller) hold(caller, route.may ?? "manage");
    const wrong = bodySchema && wrongBody(bodySchema, body, Value.Errors(bodySchema, body));
    if (wrong !== undefined) return await failed(400, "BAD_BODY", `The body is wrong: ${wrong}.`);
    const asked = { ...given, body: route.bodySchema ? body : undefined };
    return await runForCaller(caller, async () => answered(await route.handle(asked)));
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    return failed(statusOfExit[error.exit], error.code, error.message);
  }
}

/** Throws SCOPE_MISSING. */
function hold(caller: Caller, may: Scope): void {
  if (!caller.may.includes(may)) throw lacking(may, caller);
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

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
}

function failure(route: Route, failed: RouteFailure): RouteReply {
  const { status, code, message } = failed;
  return { status, body: route.failureBody?.(failed) ?? { error: { code, message } } };
}

/** A request's id, and its `traceparent` if it has one. */
type Traced = Pick<RouteRequest, "id" | "traceparent">;

function tracedBy(headers: Readonly<Record<string, string>>): Traced {
  const { "x-request-id": id = "req-test", traceparent } = headers;
  return { id, ...(readTraceparent(traceparent) && { traceparent }) };
}

async function answerOf(reply: RouteReply, { id, traceparent }: Traced): Promise<RouteAnswer> {
  const { type, bytes } = await written(reply);
  const own = Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const text = new TextDecoder().decode(bytes);
  return {
    status: reply.status,
    headers: {
      "content-type": type,
      "x-request-id": id,
      ...(traceparent !== undefined && { traceparent }),
      ...(Object.fromEntries(own) as Record<string, string>),
    },
    text,
    bytes,
    json: () => JSON.parse(text),
  };
}

async function written(reply: RouteReply): Promise<{ readonly type: string; readonly bytes: Uint8Array }> {
  if ("bytes" in reply) return { type: "application/octet-stream", bytes: reply.bytes };
  if ("text" in reply)
    return { type: "text/plain; charset=utf-8", bytes: new TextEncoder().encode(reply.text) };
  if ("body" in reply) return { type: "application/json; charset=utf-8", bytes: bytesOf(reply.body) };
  if ("stream" in reply) {
    const pieces: Uint8Array[] = [];
    for await (const piece of reply.stream) pieces.push(piece);
    return {
      type: "application/octet-stream",
      bytes: new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer()),
    };
  }
  let frames = "";
  for await (const event of reply.events) frames += eventFrame(event);
  return { type: "text/event-stream; charset=utf-8", bytes: new TextEncoder().encode(frames) };
}
