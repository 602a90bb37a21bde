import type { TSchema } from "typebox";
import { isScope, scopes, type Caller, type Scope } from "../security/scope.ts";
import { many } from "../contract/slot.ts";
import { all, hasScope, having } from "../contract/shape.ts";
import type { SocketEnd } from "../tools/net.ts";
import { errors } from "../contract/codes.ts";
import type { ErrorTable, ExitCode } from "../contract/errors.ts";

/**
 * Access to a route. `token`: a paired device whose token has the scope `may`, and each of
 * `alsoMay`, which gateways of earlier releases do not read. `none`: everybody. `own`: whom the
 * handler lets in by something of its own, such as a signature.
 */
export type RouteAccess =
  | { readonly auth: "token"; readonly may: Scope; readonly alsoMay?: readonly Scope[] }
  | { readonly auth: "none" | "own"; readonly may?: never; readonly alsoMay?: never };

export interface RouteRequest {
  /**
   * The id of this request, as the answer's X-Request-Id has it; a message that it brings carries
   * it as its `trace`.
   */
  readonly id: string;
  /** The request's `traceparent`, if it is exactly one; for messages that the request brings. */
  readonly traceparent?: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came, for signatures. */
  readonly rawBody: Uint8Array;
  /** JSON, parsed and checked by the route's `bodySchema`; undefined if the route has no schema. */
  readonly body: unknown;
  /** The peer's address, after trusted proxies. */
  readonly peer: string;
  /**
   * The person, as the audit names them: `http:<id of the device>`, or `http:local` if no
   * pairing is required. Undefined on a route without `auth: "token"`, and in gateways of earlier
   * releases.
   */
  readonly user?: string | undefined;
  /** The paired device, if `auth` is `token` and pairing is required. */
  readonly device: string | undefined;
  /**
   * That device with what its token may; {@link messageFrom} hands it on. The host holds what
   * `handle` begins to it, also a message that leaves it out or states more.
   */
  readonly caller: Caller | undefined;
  /**
   * Aborted when the peer leaves, and when the gateway begins to stop, with the failure to tell as
   * its reason. Events then end half a second later at the latest.
   */
  readonly signal: AbortSignal;
  /**
   * Aborted when the peer leaves, and when the time that a stop gives to what is in hand is up: for
   * what is worth that time, such as a turn. Events of a route that reads it end with it. Absent in
   * gateways of earlier releases.
   */
  readonly left?: AbortSignal;
}

/**
 * An event with JSON data, without a name if `event` is left out; or a frame as it is written,
 * blank line included.
 */
export type ServerEvent = { readonly event?: string; readonly data: unknown } | { readonly raw: string };

/** Returns an event as it stands on the wire. */
export function eventFrame(event: ServerEvent): string {
  if ("raw" in event) return event.raw;
  const named = event.event === undefined ? "" : `event: ${event.event}\n`;
  // Some readers end a line at these two as well.
  const data = JSON.stringify(event.data)?.replace(/[\u2028\u2029]/g, escaped);
  return `${named}data: ${data}\n\n`;
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16)}`;

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A WebSocket that a client opened at a route. */
export interface RouteSocket {
  /**
   * The client's messages in order, text or bytes, each of at most the route's `bodyLimit`. They
   * end with the socket, and while nobody reads them the client is held back.
   */
  readonly messages: AsyncIterable<string | Uint8Array>;
  /**
   * Sends a message; resolves once there is room for another, or the socket is over, and never
   * rejects. A client that leaves more than 1 MiB unread is closed with 1013.
   */
  send(message: string | Uint8Array): Promise<void>;
}

/**
 * JSON; text (`text/plain` unless a header says otherwise); bytes, also as a stream whose next
 * piece is asked for once there is room for it; server-sent events; or, to a `GET`, a WebSocket. A
 * stream that throws breaks the connection off.
 *
 * `webSocket` is called once the handshake is done, and the socket is closed when it settles: with
 * the code that it returns (1000, or 3000 to 4999), else 1000, and 1011 if it throws. It ends by
 * `request.signal`, which is aborted as soon as the socket is over; when the gateway begins to
 * stop, the gateway closes it with 1001. A request that is not a WebSocket handshake is answered
 * 426, so `handle` begins nothing itself. Gateways of earlier releases know no `webSocket`.
 */
export type RouteReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: ReplyHeaders }
  | { readonly status: number; readonly text: string; readonly headers?: ReplyHeaders }
  | { readonly status: number; readonly bytes: Uint8Array; readonly headers?: ReplyHeaders }
  | {
      readonly status: number;
      readonly stream: AsyncIterable<Uint8Array>;
      readonly headers?: ReplyHeaders;
    }
  | { readonly status: 200; readonly events: AsyncIterable<ServerEvent>; readonly headers?: ReplyHeaders }
  | {
      readonly status: 101;
      webSocket(socket: RouteSocket): Promise<SocketEnd | void>;
      readonly headers?: ReplyHeaders;
    };

export interface RouteFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Statuses of exit codes. */
const byExit = { 1: 500, 2: 400, 3: 403 } as const;

/**
 * Returns the status that a route answers a failure with: that of its row, or of the row of the sdk
 * with its code, if one is stated there; else 502 for a provider's, else by its exit code.
 */
export function statusOf({ code, exit = 1, status }: FailureFacts): number {
  const stated = status ?? (errors as ErrorTable)[code]?.status;
  if (Number.isInteger(stated) && Number(stated) >= 400 && Number(stated) <= 599) return Number(stated);
  return code.startsWith("PROVIDER_") ? 502 : byExit[exit];
}

/** The facts of a failure that its status depends on. */
export interface FailureFacts {
  readonly code: string;
  readonly exit?: ExitCode;
  readonly status?: number;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** All that a route states but who may ask it. */
export interface RouteFacts {
  /** `POST /chatapp`. */
  readonly name: string;
  readonly method: (typeof methods)[number];
  /** `/api/approvals/:id` */
  readonly path: string;
  readonly summary: string;
  /** Bytes of a body, or of one message of a WebSocket; default 65,536. */
  readonly bodyLimit?: number;
  /**
   * Requests a minute for one peer; default 60, under /api/ shared with its other routes;
   * `Infinity` for none.
   */
  readonly perMinute?: number;
  /** Said loudly when the gateway starts: why the route is less safe than it could be. */
  readonly warning?: string;
  /**
   * Keys that an object's schema does not name are refused, unless it says `additionalProperties`.
   */
  readonly bodySchema?: TSchema;
  readonly replySchema?: TSchema;
  /**
   * Returns the body of what the gateway refuses before, or makes of what `handle` throws. Default:
   * `{"error":{"code","message"}}`.
   */
  failureBody?(failure: RouteFailure): unknown;
  /**
   * Throws coded errors; the gateway makes `{"error":{"code","message"}}` of them, with the status
   * of their row.
   */
  handle(request: RouteRequest): Promise<RouteReply>;
}
export type Route = RouteFacts & RouteAccess;

/**
 * A route as the gateway has it: one of level 2 may ask for a token and state no scope, and needs
 * `manage`.
 */
export type ProvidedRoute = RouteFacts & {
  readonly auth: Route["auth"];
  readonly may?: Scope;
  readonly alsoMay?: readonly Scope[];
};

/** Returns all scopes that a route with `auth: "token"` needs. */
export function scopesFor({
  may = "manage",
  alsoMay = [],
}: Pick<Route, "may" | "alsoMay">): readonly Scope[] {
  return [may, ...alsoMay];
}

/** Returns the fault of a route apart from its scope, or undefined. */
export function wrongRoute(route: ProvidedRoute): string | undefined {
  if (!["token", "none", "own"].includes(route.auth))
    return 'does not state its auth: "token", "none" or "own"';
  if (!/^\/[^?#]*$/.test(route.path)) return "has no path that begins with /";
  if (!methods.includes(route.method))
    return 'does not state its method: "GET", "POST", "PUT", "PATCH" or "DELETE"';
  if ((route.may ?? route.alsoMay) !== undefined && route.auth !== "token")
    return 'states a scope and asks for no token: `may` stands beside auth "token"';
  const also: unknown = route.alsoMay ?? [];
  if (!Array.isArray(also) || !also.every(isScope))
    return `states by \`alsoMay\` what is no list of scopes: the scopes are ${scopes.join(", ")}`;
  return all(having("handle"), hasScope)(route);
}

export const Routes = many<Route>(
  "routes",
  (route: ProvidedRoute) =>
    wrongRoute(route) ??
    (route.auth === "token" && route.may === undefined
      ? `asks for a token and states no scope: \`may\` is ${scopes.join(", ")}`
      : undefined),
);
