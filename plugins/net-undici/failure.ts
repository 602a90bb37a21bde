import { errors, GantryError, withoutAnswer } from "@gantry/sdk";

/** Returns the printable part of an address: no user, no query, no fragment. */
export function printable(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null)
    return url
      .replace(/[?#].*$/s, "")
      .replace(/\/\/[^/]*@/, "//")
      .slice(0, 200);
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200);
}

// Messages of sockets and parsers may quote what was sent, so only these words and bare codes reach
// a person.
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection broke off",
  EPIPE: "the connection broke off",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name could not be looked up",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_DESTROYED: "the service is stopping",
  UND_ERR_CLOSED: "the service is stopping",
  UND_ERR_ABORTED: "the proxy did not open a way to it",
  UND_ERR_INVALID_ARG: "the request is malformed, or the proxy wants other credentials",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};
const timeouts: Readonly<Record<string, "connect" | "answer">> = {
  UND_ERR_CONNECT_TIMEOUT: "connect",
  ETIMEDOUT: "connect",
  UND_ERR_HEADERS_TIMEOUT: "answer",
  UND_ERR_BODY_TIMEOUT: "answer",
};

/** Failures before a request can go out; of any other it is not known. */
const unreached =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_(?:ABORTED|INVALID_ARG)|.*(?:CERT|TLS|SSL).*)$/;

export interface Waits {
  readonly connectMs: number;
  readonly answerMs: number;
}

/** The `NET_*` error of whatever was thrown while talking to `url`. */
export function netFailure(error: unknown, url: string, waits: Waits, signal: AbortSignal): GantryError {
  if (error instanceof GantryError) return error;
  const where = printable(url);
  if (signal.aborted) return withoutAnswer(errors.NET_CANCELLED(where));
  const code = codeOf(error);
  if (code === "EMFILE" || code === "ENFILE") return errors.NO_DESCRIPTORS(where, code);
  const late = timeouts[code];
  if (late === "connect") return errors.NET_TIMEOUT(where, waits.connectMs / 1000);
  if (late) return withoutAnswer(errors.NET_TIMEOUT(where, waits.answerMs / 1000));
  const failure = errors.NET_REFUSED(
    where,
    words[code] ? `${words[code]} (${code})` : `it failed with ${code}`,
  );
  return unreached.test(code) ? failure : withoutAnswer(failure);
}

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    // Several addresses were tried: the first failure speaks for all.
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === "string" && (code !== "UND_ERR_SOCKET" || !(at.cause instanceof Error))) return code;
  }
  return error instanceof Error ? error.name : "an unknown error";
}
