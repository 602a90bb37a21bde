import type { Socket, Upstream } from "@gantry/sdk";
import { withTimeout } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { WebApi } from "./web-api.ts";
import type { WireEnvelope } from "./wire.ts";

/** The time that Slack may take to say hello. */
const helloMs = 10_000;

export interface LinkOptions {
  readonly api: WebApi;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  /** Told of every sign of life, pings counted. */
  alive(): void;
}

/**
 * Slack ended a connection and said why: `link_disabled`, `too_many_websockets`, `warning`,
 * `refresh_requested`.
 */
export class Disconnected extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`Slack ended the connection (${reason})`);
    this.reason = reason;
  }
}

/** One WebSocket of Socket Mode, open from its hello on. */
export class SocketLink {
  /** The number of the app's connections, with this one, as Slack counts. */
  readonly connections: number;
  readonly #socket: Socket;
  readonly #frames: AsyncIterator<string>;
  readonly #alive: () => void;

  private constructor(socket: Socket, frames: AsyncIterator<string>, connections: number, alive: () => void) {
    this.#socket = socket;
    this.#frames = frames;
    this.#alive = alive;
    this.connections = connections;
  }

  /**
   * Resolves once Slack has said hello. Throws what a call throws, `NET_*`, SLACK_SILENT,
   * SLACK_ELSEWHERE, {@link Disconnected}.
   */
  static async open({ api, upstream, signal, alive }: LinkOptions): Promise<SocketLink> {
    const options = { signal, token: "app_token" } as const;
    const { url } = await api.call<{ url: string }>("apps.connections.open", {}, options);
    const socket = await upstream.webSocket(api.own(url), {}, signal);
    const frames = socket.messages[Symbol.asyncIterator]();
    try {
      const silent = (): Error => errors.SLACK_SILENT(helloMs / 1_000);
      const { value = "" } = await withTimeout(helloMs, frames.next(), silent);
      const hello = read(value as string);
      if (hello?.type === "disconnect") throw new Disconnected(hello.reason ?? "");
      if (hello?.type !== "hello") throw silent();
      socket.onPing(alive);
      alive();
      return new SocketLink(socket, frames, hello.num_connections ?? 1, alive);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Yields envelopes as they come in, until Slack closes. Throws `NET_*`. */
  async *envelopes(): AsyncGenerator<WireEnvelope> {
    for (;;) {
      const { value, done } = await this.#frames.next();
      if (done) return;
      this.#alive();
      const envelope = read(value);
      if (envelope !== undefined) yield envelope;
    }
  }

  /**
   * Tells Slack that it need not send this again. Where the link has ended it comes again, and is
   * known by its id.
   */
  acknowledge({ envelope_id }: WireEnvelope): void {
    if (envelope_id !== undefined) this.#socket.send(JSON.stringify({ envelope_id }));
  }

  close(): void {
    this.#socket.close();
  }
}

function read(frame: string): WireEnvelope | undefined {
  try {
    const envelope = JSON.parse(frame) as WireEnvelope | null;
    return typeof envelope?.type === "string" ? envelope : undefined;
  } catch {
    return undefined;
  }
}
