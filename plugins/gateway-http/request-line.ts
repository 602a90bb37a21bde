import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { readTraceparent } from "@gantry/sdk/fill";

const absolute = /^https?:\/\/([^/?#]*)([/?][^#]*)?$/i;
const idForm = /^[\w.:@-]{1,64}$/;

/**
 * Returns the target as a path. If it came in absolute form, its name counts and the Host header
 * does not (RFC 9112, 3.2.2).
 */
export function originForm(request: IncomingMessage): string {
  const target = request.url ?? "";
  const [, authority, path = ""] = absolute.exec(target) ?? [];
  if (authority === undefined) return target;
  request.headers.host = authority;
  return path.startsWith("/") ? path : `/${path}`;
}

/** Returns the client's id in X-Request-Id if it is a plain one, and a new one if not. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && idForm.test(given) ? given : newId();
}

/**
 * Makes 16 hex digits. A UUID takes its random bytes from a store of many, and these of its digits
 * are all random.
 */
function newId(): string {
  const id = randomUUID();
  return `${id.slice(0, 8)}${id.slice(-8)}`;
}

/** Returns the request's `traceparent` if it is exactly one; Node joins several, which is none. */
export function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  if (traceparent === undefined || !readTraceparent(traceparent)) return undefined;
  return traceparent as string;
}
