import { once } from "node:events";
import type { Socket as TcpSocket } from "node:net";
import type { Duplex } from "node:stream";
import type { Socket } from "@gantry/sdk";
import { errors } from "@gantry/sdk";
import type { WebSocket } from "ws";
import { proxyUrl } from "./dispatchers.ts";
import { netFailure, printable } from "./failure.ts";

const OPEN_MS = 10_000;
const waits = { connectMs: OPEN_MS, answerMs: OPEN_MS };
const NORMAL = new Set([1000, 1001, 1005]);

/** Opens a WebSocket, through `proxy` where there is one. Throws `NET_*`. */
export async function openSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  proxy: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    signal.throwIfAborted();
    const { WebSocket } = await import("ws");
    const tunnel = proxy === undefined ? undefined : await openTunnel(url, proxyUrl(proxy), signal);
    const options = {
      headers: { ...headers },
      handshakeTimeout: OPEN_MS,
      closeTimeout: 1_000,
      maxPayload: 16 * 1024 * 1024,
      followRedirects: false,
      ...(tunnel && { createConnection: () => tunnel as TcpSocket }),
    };
    const ws = new WebSocket(url, options);
    const messages = incoming(ws, url.href, signal);
    const abort = () => ws.terminate();
    signal.addEventListener("abort", abort, { once: true });
    ws.once("close", () => signal.removeEventListener("abort", abort));
    await opened(ws, url);
    return { send: (text) => ws.send(text), messages, close: () => ws.close(1000) };
  } catch (error) {
    throw netFailure(error, url.href, waits, signal);
  }
}

async function opened(ws: WebSocket, url: URL): Promise<void> {
  const answered = new Promise<never>((_, reject) => {
    ws.once("unexpected-response", (request, response) => {
      request.destroy();
      reject(
        errors.NET_REFUSED(
          printable(url.href),
          `it answered HTTP ${response.statusCode} instead of a WebSocket`,
        ),
      );
    });
  });
  await Promise.race([once(ws, "open"), answered]);
}

/** Listens at once, so that a frame that comes with the handshake is not lost; holds the other side back when nobody reads. */
function incoming(ws: WebSocket, url: string, signal: AbortSignal): AsyncIterable<string> {
  const queue: string[] = [];
  let ended: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;
  ws.on("message", (data, binary) => {
    if (!binary) queue.push(String(data));
    if (queue.length >= 256) ws.pause();
    wake?.();
  });
  ws.on("error", (error) => (ended ??= { error: netFailure(error, url, waits, signal) }));
  ws.on("close", (code) => {
    const cut = signal.aborted
      ? errors.NET_CANCELLED(printable(url))
      : errors.NET_REFUSED(printable(url), `the connection broke off (${code})`);
    ended ??= NORMAL.has(code) && !signal.aborted ? {} : { error: cut };
    wake?.();
  });
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (queue.length > 0) yield queue.shift() as string;
        if (ws.isPaused) ws.resume();
        if (ended?.error) throw ended.error;
        if (ended && queue.length === 0) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** A way through an HTTP proxy to the host of `url`, with TLS inside where the scheme says so. */
async function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Duplex> {
  const http = proxy.protocol === "https:" ? await import("node:https") : await import("node:http");
  const secure = url.protocol === "wss:";
  const authority = `${url.hostname}:${url.port || (secure ? 443 : 80)}`;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const request = http.request({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: authority,
    headers: {
      host: authority,
      ...(user !== ":" && { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
    },
    timeout: OPEN_MS,
    agent: false,
    signal,
  });
  request.once("timeout", () => request.destroy(Object.assign(new Error("proxy"), { code: "ETIMEDOUT" })));
  request.end();
  const [response, socket] = (await once(request, "connect")) as [{ statusCode: number }, Duplex];
  if (response.statusCode !== 200) {
    socket.destroy();
    throw errors.NET_REFUSED(printable(url.href), `the proxy answered HTTP ${response.statusCode}`);
  }
  if (!secure) return socket;
  const { connect } = await import("node:tls");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return connect({ socket, servername: /^[\d.]+$|:/.test(host) ? "" : host, host });
}
