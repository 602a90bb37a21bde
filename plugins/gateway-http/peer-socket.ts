import type { RouteSocket } from "@gantry/sdk";
import type { WebSocket } from "ws";

/** Bytes that may wait for a client that reads slowly. */
const mostUnsent = 1024 * 1024;
/** Most waiting bytes at which there is room for another message. */
const fewUnsent = 64 * 1024;
/** Messages that may wait for a route that reads slowly; the client is held back from then on. */
const mostUnread = 32;
/** Sent to a client that is closed for reading too slowly ("try again later"). */
const tooSlow = 1013;

/** A WebSocket as its route sees it, with bounds on what waits in either direction. */
export class PeerSocket implements RouteSocket {
  readonly #ws: WebSocket;
  readonly #unread: (string | Uint8Array)[] = [];
  #wake: (() => void) | undefined;
  readonly messages: AsyncIterable<string | Uint8Array>;

  constructor(ws: WebSocket) {
    this.#ws = ws;
    this.messages = { [Symbol.asyncIterator]: () => this.#read() };
    ws.on("message", (data: Buffer, isBinary: boolean) => {
      this.#unread.push(isBinary ? data : data.toString());
      if (this.#unread.length >= mostUnread) ws.pause();
      this.#wake?.();
    });
    // A client that pings and reads nothing would fill the memory with what it is answered.
    ws.on("ping", (data: Buffer) => {
      if (ws.bufferedAmount < fewUnsent) ws.pong(data);
    });
    ws.once("close", () => this.#wake?.());
  }

  /** A field, since routes take it out of the socket. */
  readonly send = (message: string | Uint8Array): Promise<void> => {
    const ws = this.#ws;
    if (ws.readyState !== ws.OPEN) return Promise.resolve();
    if (ws.bufferedAmount > mostUnsent) {
      ws.close(tooSlow, "too slow");
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      ws.send(message, () => resolve());
      if (ws.bufferedAmount < fewUnsent) resolve();
    });
  };

  async *#read(): AsyncGenerator<string | Uint8Array, void> {
    const ws = this.#ws;
    for (;;) {
      while (this.#unread.length > 0) yield this.#unread.shift() as string | Uint8Array;
      if (ws.readyState === ws.CLOSED) return;
      if (ws.isPaused) ws.resume();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
