import type { Socket } from "node:net";

/** More than this in one message is no message of ours. */
const MAX_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 8;

/** A message and the bytes that belong to it. */
export interface Frame<T> {
  readonly message: T;
  readonly data: Uint8Array;
}

const none = new Uint8Array(0);

/**
 * Messages over a stream: the lengths of both parts, JSON, bytes. Nothing that a message holds is code, and one that is
 * not well formed ends the stream, since the other side may have been taken over.
 */
export class Frames<In, Out> {
  readonly #socket: Socket;
  #left: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, take: (frame: Frame<In>) => void) {
    this.#socket = socket;
    socket.on("data", (piece: Buffer) => {
      try {
        this.#left = this.#left.length > 0 ? Buffer.concat([this.#left, piece]) : piece;
        for (let frame = this.#next(); frame; frame = this.#next()) take(frame);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined);
      }
    });
  }

  send(message: Out, data: Uint8Array = none): void {
    const text = Buffer.from(JSON.stringify(message));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(text.length, 0);
    header.writeUInt32LE(data.length, 4);
    this.#socket.write(Buffer.concat([header, text, data]));
  }

  #next(): Frame<In> | undefined {
    if (this.#left.length < HEADER_BYTES) return undefined;
    const [text, data] = [this.#left.readUInt32LE(0), this.#left.readUInt32LE(4)];
    if (text + data > MAX_BYTES) throw new Error("a message is too long");
    const end = HEADER_BYTES + text + data;
    if (this.#left.length < end) return undefined;
    const message = JSON.parse(this.#left.toString("utf8", HEADER_BYTES, HEADER_BYTES + text)) as In;
    const bytes = this.#left.subarray(HEADER_BYTES + text, end);
    this.#left = this.#left.subarray(end);
    return { message, data: bytes };
  }
}
