import type { Socket, Upstream } from "@gantry/sdk";
import { authorization } from "./ask.ts";
import type { Endpoint } from "./endpoint.ts";

const KEPT = 16;
const IDLE_MS = 60_000;

/** A connection and the one place where its frames are read. */
export interface Line {
  readonly socket: Socket;
  readonly frames: AsyncIterator<string>;
  /** It has answered before, so that a failure may only mean that it grew old. */
  readonly used: boolean;
}

interface Kept extends Line {
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections by conversation: one is taken out while it is in use and put back after a whole
 * answer.
 */
export class SocketPool {
  readonly #upstream: Upstream;
  readonly #signal: AbortSignal;
  readonly #kept = new Map<string, Kept>();

  /** `signal` ends every connection. */
  constructor(upstream: Upstream, signal: AbortSignal) {
    this.#upstream = upstream;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#trim(0), { once: true });
  }

  /**
   * The kept connection of a conversation, or a new one; `signal` cancels the opening. Throws
   * `NET_*`.
   */
  async take(key: string, endpoint: Endpoint, signal: AbortSignal): Promise<Line> {
    const kept = this.#remove(key);
    if (kept) return kept;
    const opening = new AbortController();
    const cancel = () => opening.abort();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      signal.throwIfAborted();
      const url = endpoint.address.at("/responses").replace(/^http/i, "ws");
      const socket = await this.#upstream.webSocket(
        url,
        authorization(endpoint),
        AbortSignal.any([this.#signal, opening.signal]),
      );
      return { socket, frames: socket.messages[Symbol.asyncIterator](), used: false };
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Keeps a connection for the next turn, for a while; the oldest makes room. */
  put(key: string, { socket, frames }: Line): void {
    if (this.#signal.aborted) return socket.close();
    this.#remove(key)?.socket.close();
    const timer = setTimeout(() => this.#remove(key)?.socket.close(), IDLE_MS);
    timer.unref();
    this.#kept.set(key, { socket, frames, used: true, timer });
    this.#trim(KEPT);
  }

  #remove(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    clearTimeout(kept?.timer);
    this.#kept.delete(key);
    return kept;
  }

  #trim(room: number): void {
    for (const key of [...this.#kept.keys()].slice(0, Math.max(0, this.#kept.size - room)))
      this.#remove(key)?.socket.close();
  }
}
