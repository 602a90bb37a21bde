import type { Dispatcher } from "undici";
import { errors } from "@gantry/sdk";
import { openFilesLimit } from "../shared/open-files.ts";

/** A server may ask for an hour; an idle connection is a file that something else needs. */
const idleMs = 10_000;
/** Connections to one server at a time: beyond it, requests wait for their turn. */
const perServer = Math.min(1_000, Math.max(8, Math.floor(openFilesLimit() / 8)));

/** Connection pools by proxy and connect timeout, made on first use and kept. */
export interface Dispatchers {
  get(proxy: string | undefined, connectMs: number): Promise<Dispatcher>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

export function createDispatchers(): Dispatchers {
  const made = new Map<string, Dispatcher>();
  return {
    async get(proxy, connectMs) {
      const key = `${connectMs} ${proxy ?? ""}`;
      const known = made.get(key);
      if (known) return known;
      const fresh = proxy === undefined ? await direct(connectMs) : await through(proxy, connectMs);
      // Somebody else may have made it meanwhile; only one is kept.
      const kept = made.get(key) ?? fresh;
      if (kept !== fresh) await fresh.close();
      made.set(key, kept);
      return kept;
    },
    async close() {
      const all = [...made.values()];
      made.clear();
      await Promise.all(all.map((one) => one.destroy()));
    },
  };
}

function optionsOf(connectMs: number) {
  return {
    connectTimeout: connectMs,
    allowH2: false,
    connections: perServer,
    keepAliveMaxTimeout: idleMs,
  };
}

async function direct(connectMs: number): Promise<Dispatcher> {
  const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
  return new Agent(optionsOf(connectMs));
}

async function through(proxy: string, connectMs: number): Promise<Dispatcher> {
  // The parts of undici that speak to a proxy work only after its index was loaded.
  const { ProxyAgent } = await import("undici");
  return new ProxyAgent({ uri: proxyUrl(proxy).href, ...optionsOf(connectMs) });
}

/** Throws `NET_REFUSED` for what is not a proxy's address. */
export function proxyUrl(proxy: string): URL {
  const url = URL.parse(proxy);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw errors.NET_REFUSED(
    "The proxy set in the environment",
    "its address is not http:// or https://, see HTTPS_PROXY and HTTP_PROXY",
  );
}
