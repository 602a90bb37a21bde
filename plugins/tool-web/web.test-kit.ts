import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Net, definePlugin, type Plugin } from "@gantry/sdk";
import { createNet } from "../net-undici/net.ts";

export interface Web extends AsyncDisposable {
  readonly url: string;
  /** The requests that came, as `METHOD path`. */
  readonly asked: readonly string[];
  /** The real way out, with this server as the only address allowed. */
  readonly net: Plugin;
}

/** A real server on loopback. */
export async function startWeb(answer: RequestListener): Promise<Web> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const rules = {
    domains: (host: string) => host === "127.0.0.1",
    addresses: () => undefined,
    lookup: async () => [],
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    net: definePlugin({
      name: "net-test",
      provides: [Net],
      setup: (host) => host.provide(Net, createNet(rules)),
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers each path with a page; 404 for others. */
export function pages(known: Readonly<Record<string, string>>): RequestListener {
  return ({ url = "" }, response) => {
    const html = known[url];
    response.writeHead(html === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(html ?? "<h1>Not found</h1>");
  };
}
