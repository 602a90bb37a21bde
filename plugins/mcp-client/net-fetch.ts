import type { Net } from "@gantry/sdk";
import type { FetchLike } from "@modelcontextprotocol/client";
import { MAX_LINE } from "./process-transport.ts";
import type { RemoteSettings } from "./settings.ts";

/** A stream on which a server tells what has changed may be silent for so long. */
const SILENT_MS = 600_000;
/** Beyond the time of a call, which its own signal ends. */
const SPARE_MS = 10_000;

/**
 * The requests of the transport by the checked way out, to this server's domains alone. Redirects
 * are given back: the transport follows those that stay with the origin, so that no header of the
 * owner's goes to another.
 */
export function netFetch(net: Net, { domains, timeoutMs }: RemoteSettings, ended: AbortSignal): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", body, signal } = init;
    return net.fetch({
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      signal: signal ? AbortSignal.any([signal, ended]) : ended,
      timeoutMs: method === "GET" ? SILENT_MS : timeoutMs + SPARE_MS,
      maxBytes: MAX_LINE,
      domains,
      redirect: "manual",
    });
  };
}
