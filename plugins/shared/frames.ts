import type { Readable, Writable } from "node:stream";

/** A longer message cannot be one of ours. */
const MAX_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 8;

/** A message and the bytes that belong to it. */
export interface Frame<T> {
  readonly message: T;
  readonly data: Uint8Array;
  /** The bytes that both took on the way. */
  readonly length: number;
}

/** The most bytes that each part of a message may have. */
export interface Room {
  readonly text: number;
  readonly data: number;
}

const none = new Uint8Array(0);
const any: Room = { text: MAX_BYTES, data: MAX_BYTES };

/**
 * Messages over a stream: the lengths of both parts, JSON, bytes. Nothing that a message holds is
 * code, and one that is not well formed, or has more than there is room for, ends the stream, since
 * the other side may have been taken over.
 */
export class Frames<In, Out> {
  readonly #to: Writable;
  readonly #room: () => Room;
  /**
   * Bytes that came and were not taken yet, in perhaps very many pieces; they are joined only once
   * they make up the next frame.
   */
  #pieces: Buffer[] = [];
  #held = 0;
  #wanted = HEADER_BYTES;

  /** `room`: asked for each message as its lengths are known, before the rest of it is kept. */
  constructor(from: Readable, to: Writable, take: (frame: Frame<In>) => void, room: () => Room = () => any) {
    this.#to = to;
    this.#room = room;
    from.on("data", (piece: Buffer) => {
      try {
        this.#pieces.push(piece);
        this.#held += piece.length;
        for (let frame = this.#next(); frame; frame = this.#next()) take(frame);
      } catch (error) {
        from.destroy(error instanceof Error ? error : undefined);
      }
    });
  }

  /** Sends a message. Returns the bytes of its JSON. */
  send(message: Out, data: Uint8Array = none): number {
    const text = Buffer.from(JSON.stringify(message));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(text.length, 0);
    header.writeUInt32LE(data.length, 4);
    this.#to.cork();
    this.#to.write(Buffer.concat([header, text]));
    if (data.length > 0) this.#to.write(data);
    this.#to.uncork();
    return text.length;
  }

  /** Resolves once the kernel has all that was sent, or nothing can be sent any more. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.#to.write("", () => resolve()));
  }

  #next(): Frame<In> | undefined {
    if (this.#held < this.#wanted) return undefined;
    const left = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const [text, data] = [left.readUInt32LE(0), left.readUInt32LE(4)];
    const room = this.#room();
    if (text > room.text || data > room.data || text + data > MAX_BYTES)
      throw new Error("a message is too long");
    const end = HEADER_BYTES + text + data;
    const isWhole = left.length >= end;
    this.#keep(isWhole ? left.subarray(end) : left, isWhole ? HEADER_BYTES : end);
    if (!isWhole) return undefined;
    const message = JSON.parse(left.toString("utf8", HEADER_BYTES, HEADER_BYTES + text)) as In;
    return { message, data: left.subarray(HEADER_BYTES + text, end), length: text + data };
  }

  #keep(left: Buffer, wanted: number): void {
    this.#pieces = left.length > 0 ? [left] : [];
    this.#held = left.length;
    this.#wanted = wanted;
  }
}
