import type { Duplex } from "node:stream";
import type { Refusal } from "./hooks.ts";
import { one } from "./slot.ts";

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
}

export interface NetResponse {
  readonly status: number;
  /** Lower-case names; several values are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** After redirects. */
  readonly url: string;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

/** Out, for tools: only allowed domains, no special address, answers of DNS pinned, each redirect checked. */
export interface Net {
  /** Says no without connecting; resolves names. */
  check(url: string): Promise<Refusal | undefined>;
  /** Throws `NET_*` errors whose text holds no secret. */
  fetch(request: NetRequest): Promise<NetResponse>;
  /** A raw connection under the same rules, for the proxy of started processes. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Duplex>;
}
export const Net = one<Net>("net");

export interface Socket {
  send(text: string): void;
  /** Text frames until the other side closes; throws `NET_*`. */
  readonly messages: AsyncIterable<string>;
  close(): void;
}

/** Out, to addresses that the owner configured: providers and channels. Honours HTTPS_PROXY and NO_PROXY; follows no redirect. */
export interface Upstream {
  fetch(request: NetRequest): Promise<NetResponse>;
  webSocket(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Socket>;
}
export const Upstream = one<Upstream>("upstream");

/** One request from a browser on this machine: how a login in the browser comes back. */
export interface LoopbackVisit {
  /** `http://127.0.0.1:<port><path>`. */
  readonly redirectUri: string;
  /** The query of the first GET of that path; rejects when it is closed or its signal is aborted. */
  wait(): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** Listens on a free port of loopback; closed by the visit, by `close`, or by the signal. */
export interface Loopback {
  receiveOnce(path: string, signal: AbortSignal): Promise<LoopbackVisit>;
}
export const Loopback = one<Loopback>("loopback");
