import { once } from "node:events";
import type { Socket as TcpSocket } from "node:net";
import type { Duplex } from "node:stream";
import type { Socket } from "@gantry/sdk";
import type { SocketEnd } from "@gantry/sdk/fill";
import { errors } from "@gantry/sdk";
import type { WebSocket } from "ws";
import { netFailure, printable } from "./failure.ts";
import { openTunnel } from "./tunnel.ts";

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
    const tunnel = proxy === undefined ? undefined : await wayThrough(proxy, url, signal);
    const options = {
      headers: { ...headers },
      handshakeTimeout: OPEN_MS,
      closeTimeout: 1_000,
      maxPayload: 16 * 1024 * 1024,
      // Nothing from outside is unpacked in this process.
      perMessageDeflate: false,
      followRedirects: false,
      ...(tunnel && { createConnection: () => tunnel as TcpSocket }),
    };
    const ws = new WebSocket(url, options);
    const messages = incoming(ws, url.href, signal);
    const closed = ended(ws);
    const abort = () => ws.terminate();
    signal.addEventListener("abort", abort, { once: true });
    ws.once("close", () => signal.removeEventListener("abort", abort));
    await opened(ws, url);
    return {
      send: (text) => ws.send(text),
      messages,
      onPing: (told) => void ws.on("ping", told),
      closed,
      close: (code = 1000) => ws.close(code),
    };
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

function ended(ws: WebSocket): Promise<SocketEnd> {
  return new Promise((resolve) => {
    ws.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
}

/**
 * Listens at once, so that a frame that comes with the handshake is not lost; holds the other side
 * back when nobody reads.
 */
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

/**
 * A connection to the host of `url` by way of a proxy, with TLS inside where the scheme says so.
 */
async function wayThrough(proxy: string, url: URL, signal: AbortSignal): Promise<Duplex> {
  const secure = url.protocol === "wss:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = await openTunnel(proxy, url.hostname, Number(url.port || (secure ? 443 : 80)), signal);
  if (!secure) return socket;
  const { connect } = await import("node:tls");
  return connect({ socket, servername: /^[\d.]+$|:/.test(host) ? "" : host, host });
}
