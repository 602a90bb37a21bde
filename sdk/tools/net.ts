import type { Duplex } from "node:stream";
import type { Refusal } from "../contract/hooks.ts";
import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

export interface NetRequest {
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** For the headers, and between two pieces of the body. Default 30,000 ms. */
  readonly timeoutMs?: number;
  /** Default 10,000 ms. */
  readonly connectTimeoutMs?: number;
  /** Beyond this the body ends with `NET_TOO_LARGE`. Default 16 MiB. */
  readonly maxBytes?: number;
  /**
   * The only domains that this request and its redirects may reach, written as in
   * `security.allowed_domains`; what that key leaves out stays out. An entry that names no domain
   * throws `NET_BAD_DOMAIN`.
   */
  readonly domains?: readonly string[];
  /** A redirect is returned as the answer, and not followed. Default: redirects are followed. */
  readonly redirect?: "manual";
}

/**
 * Out, for tools: only allowed domains, no special address, answers of DNS pinned, each redirect
 * checked.
 */
export interface Net {
  /** Says no without connecting; resolves names. */
  check(url: string): Promise<Refusal | undefined>;
  /**
   * As the web's `fetch`: `url` is the one after redirects. It and the reading of its body throw
   * `NET_*` errors, whose text holds no secret.
   */
  fetch(request: NetRequest): Promise<Response>;
  /**
   * Opens a raw connection under the same rules, for the proxy of started processes. `domains`:
   * instead of `security.allowed_domains`.
   */
  connect(host: string, port: number, signal: AbortSignal, domains?: readonly string[]): Promise<Duplex>;
}
export const Net = one<Net>("net", having("check", "fetch", "connect"));

/**
 * The end of a WebSocket: code and words of RFC 6455 7.1.5 and 7.1.6; 1006 if no side gave a code.
 */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

export interface Socket {
  send(text: string): void;
  /** Text frames until the other side closes; throws `NET_*`. */
  readonly messages: AsyncIterable<string>;
  /**
   * Told of each ping of the other side, which is answered by itself: a sign of life in silence.
   */
  onPing(told: () => void): void;
  /** Resolves once it is over, whichever side ended it. Never rejects. */
  readonly closed: Promise<SocketEnd>;
  /** Closes it. `code`: 1000 or 3000 to 4999. Default 1000. */
  close(code?: number): void;
}

/**
 * Options for securing a raw connection. The other side's certificate is always checked, against
 * the name that was asked for.
 */
export interface ConnectTls {
  /** PEM: authorities of one's own, in place of those that Node knows. */
  readonly ca?: string;
  /** Protocols that are offered, best first (ALPN). */
  readonly protocols?: readonly string[];
}

export interface ConnectOptions {
  /** TLS from the first byte on, 1.2 or newer; left out: none. */
  readonly tls?: ConnectTls;
}

/**
 * Out, to addresses that the owner configured: providers and channels. Honours HTTPS_PROXY and
 * NO_PROXY; follows no redirect.
 */
export interface Upstream {
  /** As the web's `fetch`; it and the reading of its body throw `NET_*` errors. */
  fetch(request: NetRequest): Promise<Response>;
  webSocket(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Socket>;
  /** Opens a raw connection, for protocols that are not HTTP. Throws `NET_*`. */
  connect(host: string, port: number, signal: AbortSignal, options?: ConnectOptions): Promise<Duplex>;
}
export const Upstream = one<Upstream>("upstream", having("fetch", "webSocket", "connect"));

/** One request from a browser on this machine: how a login in the browser comes back. */
export interface LoopbackVisit {
  /** `http://127.0.0.1:<port><path>`. */
  readonly redirectUri: string;
  /**
   * The query of the first GET that is the one; rejects when it is closed or its signal is aborted.
   */
  wait(): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** Listens on a free port of loopback; closed by the visit, by `close`, or by the signal. */
export interface Loopback {
  /**
   * `isIt` tells the visit that is waited for from others of that path, which are told so and end
   * nothing.
   */
  receiveOnce(
    path: string,
    isIt: (query: URLSearchParams) => boolean,
    signal: AbortSignal,
  ): Promise<LoopbackVisit>;
}
export const Loopback = one<Loopback>("loopback", having("receiveOnce"));

const unanswered = new WeakSet<Error>();

/** Marks the failure of a request that may have arrived though its answer did not; returns it. */
export function withoutAnswer<Failure extends Error>(failure: Failure): Failure {
  unanswered.add(failure);
  return failure;
}

/**
 * Returns true if the request that failed so may have arrived: what must happen once is not simply
 * done again.
 */
export function isWithoutAnswer(failure: unknown): boolean {
  return failure instanceof Error && unanswered.has(failure);
}
