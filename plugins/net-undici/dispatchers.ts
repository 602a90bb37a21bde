import type { Dispatcher } from "undici";
import { errors } from "@gantry/sdk";

/** Connection pools by proxy and connect timeout, made on first use and kept. */
export interface Dispatchers {
  get(proxy: string | undefined, connectMs: number): Promise<Dispatcher>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

export function createDispatchers(): Dispatchers {
  const made = new Map<string, Promise<Dispatcher>>();
  return {
    get(proxy, connectMs) {
      const key = `${connectMs} ${proxy ?? ""}`;
      let dispatcher = made.get(key);
      if (!dispatcher)
        made.set(key, (dispatcher = proxy === undefined ? direct(connectMs) : through(proxy, connectMs)));
      return dispatcher;
    },
    async close() {
      const all = await Promise.allSettled(made.values());
      made.clear();
      await Promise.all(all.map((one) => one.status === "fulfilled" && one.value.destroy()));
    },
  };
}

async function direct(connectMs: number): Promise<Dispatcher> {
  const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
  return new Agent({ connectTimeout: connectMs, allowH2: false });
}

async function through(proxy: string, connectMs: number): Promise<Dispatcher> {
  // The parts of undici that speak to a proxy work only after its index was loaded.
  const { ProxyAgent } = await import("undici");
  return new ProxyAgent({ uri: proxyUrl(proxy).href, connectTimeout: connectMs, allowH2: false });
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
