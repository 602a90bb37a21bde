import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { openFilesLimit } from "../shared/open-files.ts";
import { peerKey } from "./peer.ts";

const most = 1_024;
/** Without a request in hand, of one address: a browser keeps six. */
const mostIdle = 32;
/**
 * A connection has this long to bring its first request, and a client that was answered this long
 * to ask again.
 */
const silentMs = 5_000;
const answeredMs = 5_000;

/**
 * Connections at a time: half of the files that the process may open, so that the store never goes
 * without.
 */
export function maxConnections(): number {
  return Math.min(most, Math.floor(openFilesLimit() / 2));
}

interface Held {
  readonly socket: Socket;
  /** Until when it may be idle; undefined while a request of it is in hand. */
  idleUntil: number | undefined;
}

/**
 * Keeps one address from holding everybody's connections: of those without a request in hand the
 * oldest beyond 32 are closed, and no address gets more than half of all. Loopback counts too;
 * addresses that `exempt` names carry many clients.
 */
export class AddressBound {
  readonly #held = new Map<string, Map<string, Held>>();
  readonly #sweeps = new Map<string, NodeJS.Timeout>();
  readonly #onDrop: (peer: string) => void;

  constructor(onDrop: (peer: string) => void) {
    this.#onDrop = onDrop;
  }

  watch(server: Server, exempt: (address: string | undefined) => boolean): void {
    const half = Math.floor(server.maxConnections / 2);
    server.on("connection", (socket: Socket) => {
      if (!exempt(socket.remoteAddress)) this.#opened(socket, half);
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      const held = this.#held.get(peerKey(socket.remoteAddress))?.get(nameOf(socket));
      if (!held) return;
      held.idleUntil = undefined;
      response.once("close", () => (held.idleUntil = performance.now() + answeredMs));
    });
    server.on("close", () => {
      for (const sweep of this.#sweeps.values()) clearTimeout(sweep);
    });
  }

  #opened(socket: Socket, half: number): void {
    const peer = peerKey(socket.remoteAddress);
    const name = nameOf(socket);
    const all = this.#held.get(peer) ?? new Map<string, Held>();
    if (all.size >= half) {
      socket.destroy();
      return this.#onDrop(peer);
    }
    this.#held.set(peer, all.set(name, { socket, idleUntil: performance.now() + silentMs }));
    socket.once("close", () => {
      all.delete(name);
      if (all.size === 0) this.#held.delete(peer);
    });
    if (all.size > mostIdle) this.#sweepLater(peer);
  }

  #sweepLater(peer: string): void {
    if (this.#sweeps.has(peer)) return;
    const sweep = (): void => {
      this.#sweeps.delete(peer);
      this.#sweep(peer);
    };
    this.#sweeps.set(peer, setTimeout(sweep, silentMs).unref());
  }

  #sweep(peer: string): void {
    const idle = [...(this.#held.get(peer)?.values() ?? [])].filter(
      ({ idleUntil }) => idleUntil !== undefined,
    );
    const beyond = idle.toSorted((a, b) => Number(a.idleUntil) - Number(b.idleUntil)).slice(0, -mostIdle);
    const over = beyond.filter(({ idleUntil }) => Number(idleUntil) <= performance.now());
    for (const { socket } of over) socket.destroy();
    if (over.length > 0) this.#onDrop(peer);
    if (beyond.length > over.length) this.#sweepLater(peer);
  }
}

/** Returns the same name for a connection and for the one with TLS in it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
