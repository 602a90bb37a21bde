import type { NetRequest, Upstream } from "@gantry/sdk";
import { errors } from "@gantry/sdk";
import { connectUpstream } from "./connect.ts";
import { createDispatchers } from "./dispatchers.ts";
import { domainCheck } from "./domains.ts";
import { exchange, waitsOf } from "./exchange.ts";
import { netFailure, printable } from "./failure.ts";
import { proxyFor } from "./proxy.ts";
import { openSocket } from "./socket.ts";
import { createTrust, speaksTls, type Trust } from "./trust.ts";

/** Requests to addresses that the owner configured; `close` cuts what is open. */
export function createUpstream(
  env: NodeJS.ProcessEnv = process.env,
  trust: Trust = createTrust(),
): Upstream & { close(): Promise<void> } {
  const dispatchers = createDispatchers();
  return {
    async fetch(request) {
      const url = parse(request.url, ["http:", "https:"]);
      if (request.domains && !domainCheck(request.domains)(nameIn(url)))
        throw errors.NET_BLOCKED(printable(url.href), "it is none of the domains of this request");
      const waits = waitsOf(request);
      const proxy = proxyFor(url, env);
      if (speaksTls(url, proxy)) await trust();
      const dispatcher = await dispatchers.get(proxy, waits.connectMs).catch((error: unknown) => {
        throw netFailure(error, url.href, waits, request.signal);
      });
      return exchange(dispatcher, withUser(request, url), url);
    },
    async webSocket(address, headers, signal) {
      const url = parse(address.replace(/^http/i, "ws"), ["ws:", "wss:"]);
      const proxy = proxyFor(url, env);
      if (speaksTls(url, proxy)) await trust();
      return openSocket(url, headers, proxy, signal);
    },
    async connect(host, port, signal, options) {
      // Whoever asks for no TLS may begin it on the connection, as mail servers do.
      await trust();
      return connectUpstream({ host, port, env, signal, ...options });
    },
    close: () => dispatchers.close(),
  };
}

function parse(address: string, schemes: readonly string[]): URL {
  const url = URL.parse(address);
  if (url === null || !schemes.includes(url.protocol)) throw errors.NET_BAD_URL(printable(address));
  return url;
}

/** Returns the host as `domains` name it. */
function nameIn({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * `user:password@` in an address is sent as Basic, where the request has no credential of its own.
 */
function withUser(request: NetRequest, url: URL): NetRequest {
  const named = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
  if (named || (url.username === "" && url.password === "")) return request;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    ...request,
    headers: { ...request.headers, authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
  };
}
