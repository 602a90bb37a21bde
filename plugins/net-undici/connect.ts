import { once } from "node:events";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectOptions, ConnectTls } from "@gantry/sdk/fill";
import { netFailure, printable, type Waits } from "./failure.ts";
import { proxyFor, type Environment } from "./proxy.ts";
import { openTunnel } from "./tunnel.ts";

const waits: Waits = { connectMs: 10_000, answerMs: 10_000 };

/** A host without brackets, and the address of a connection to it, for people. */
export function placeOf(host: string, port: number): { readonly host: string; readonly shown: string } {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, shown: printable(`tcp://${bare.includes(":") ? `[${bare}]` : bare}:${port}`) };
}

interface Connection extends ConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/**
 * A raw connection to what the owner configured, through the proxy that HTTPS_PROXY names. Throws
 * `NET_*`.
 */
export async function connectUpstream({ host, port, env, signal, tls }: Connection): Promise<Duplex> {
  const place = placeOf(host, port);
  try {
    signal.throwIfAborted();
    const url = new URL(place.shown.replace(/^tcp:/, "https:"));
    const proxy = proxyFor(url, env);
    const raw =
      proxy === undefined
        ? await openTcp(place.host, port, signal)
        : await openTunnel(proxy, url.hostname, port, signal);
    return tls ? await secured(raw, place.host, tls, signal) : raw;
  } catch (error) {
    throw netFailure(error, place.shown, waits, signal);
  }
}

/** Rejects with what TLS fails with, and then leaves nothing open. */
async function secured(
  raw: Duplex,
  host: string,
  { ca, protocols }: ConnectTls,
  signal: AbortSignal,
): Promise<Duplex> {
  const { connect } = await import("node:tls");
  const socket = connect({
    socket: raw,
    host,
    minVersion: "TLSv1.2",
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    ...(protocols && { ALPNProtocols: [...protocols] }),
  });
  const late = setTimeout(
    () => socket.destroy(Object.assign(new Error("late"), { code: "ETIMEDOUT" })),
    waits.connectMs,
  );
  try {
    await once(socket, "secureConnect", { signal });
  } catch (error) {
    socket.destroy();
    raw.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
  socket.on("error", () => {});
  return socket;
}

/**
 * Rejects with what the socket fails with, `ETIMEDOUT` after ten seconds, or at once where `signal`
 * is aborted.
 */
export async function openTcp(
  host: string,
  port: number,
  signal: AbortSignal,
  lookup?: LookupFunction,
): Promise<Socket> {
  const { connect } = await import("node:net");
  const how = { host, port, autoSelectFamily: true, timeout: waits.connectMs };
  const socket = connect(lookup === undefined ? how : { ...how, lookup });
  socket.once("timeout", () => socket.destroy(Object.assign(new Error("late"), { code: "ETIMEDOUT" })));
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.setTimeout(0);
  socket.removeAllListeners("timeout");
  // Whoever uses it listens too; until then a broken connection must not end the process.
  socket.on("error", () => {});
  return socket;
}
