import { once } from "node:events";
import type { Duplex } from "node:stream";
import { errors } from "@gantry/sdk";
import { proxyUrl } from "./dispatchers.ts";
import { printable } from "./failure.ts";

const openMs = 10_000;

/**
 * A raw connection to `hostname` (IPv6 in brackets) through an HTTP proxy. Throws `NET_REFUSED`,
 * and what the socket throws.
 */
export async function openTunnel(
  proxy: string,
  hostname: string,
  port: number,
  signal: AbortSignal,
): Promise<Duplex> {
  const way = proxyUrl(proxy);
  const http = way.protocol === "https:" ? await import("node:https") : await import("node:http");
  const authority = `${hostname}:${port}`;
  const user = `${decodeURIComponent(way.username)}:${decodeURIComponent(way.password)}`;
  const request = http.request({
    host: way.hostname.replace(/^\[|\]$/g, ""),
    port: way.port || (way.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: authority,
    headers: {
      host: authority,
      ...(user !== ":" && { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
    },
    timeout: openMs,
    agent: false,
    signal,
  });
  request.once("timeout", () => request.destroy(Object.assign(new Error("proxy"), { code: "ETIMEDOUT" })));
  request.end();
  const [response, socket, head] = (await once(request, "connect")) as [
    { statusCode: number },
    Duplex,
    Buffer,
  ];
  // Whoever uses it listens too; until then a broken connection must not end the process.
  socket.on("error", () => {});
  if (response.statusCode === 200) {
    // Bytes of a server that speaks first can come in the same piece as the proxy's answer.
    if (head.length > 0) socket.unshift(head);
    return socket;
  }
  socket.destroy();
  throw errors.NET_REFUSED(printable(`tcp://${authority}`), `the proxy answered HTTP ${response.statusCode}`);
}
