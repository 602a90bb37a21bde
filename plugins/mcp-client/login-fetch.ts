import type { Net } from "@gantry/sdk";
import type { FetchLike } from "@modelcontextprotocol/client";
import type { RemoteSettings } from "./settings.ts";

const MAX_BYTES = 1024 * 1024;
const TIME_MS = 30_000;

/**
 * Returns the way of all requests of a login but those to the server itself: the checked way out,
 * to the server's domains and to hosts that the owner said yes to. `isAllowed` is asked about each
 * other host before the first request to it, and throws a no. No redirect is followed.
 */
export function loginFetch(
  net: Net,
  { domains }: RemoteSettings,
  hosts: () => readonly string[],
  isAllowed: (host: string) => Promise<void>,
  signal: AbortSignal,
): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", body } = init;
    const { hostname } = new URL(url);
    if (![...domains, ...hosts()].includes(hostname)) await isAllowed(hostname);
    return net.fetch({
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...((typeof body === "string" || body instanceof URLSearchParams) && { body: String(body) }),
      signal,
      timeoutMs: TIME_MS,
      maxBytes: MAX_BYTES,
      domains: [...domains, ...hosts()],
      redirect: "manual",
    });
  };
}
