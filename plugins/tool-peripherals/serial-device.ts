import { errors } from "./errors.ts";
import { PortGone, SerialPort } from "./serial-port.ts";
import type { SerialSettings } from "./settings.ts";

export interface Wanted {
  readonly bytes: Buffer;
  /** The number of messages, each ended by the delimiter, to wait for. */
  readonly messages: number;
}

export interface Exchange {
  readonly reply: Buffer;
  /** All messages came. */
  readonly complete: boolean;
  /** There was more than is taken in one answer. */
  readonly cut: boolean;
  /** Bytes that came after the exchange before this one, and were thrown away. */
  readonly late: number;
}

/** At most, of one answer. */
export const REPLY_BYTES = 65_536;

/**
 * One configured port: opened by its first exchange, kept open, opened again after it was
 * unplugged.
 */
export class SerialDevice {
  readonly settings: SerialSettings;
  #port: SerialPort | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Read beyond the end of the last answer. */
  #beyond = 0;
  #closed = false;

  constructor(settings: SerialSettings) {
    this.settings = settings;
  }

  /** True while this process has the port open. */
  get isOpen(): boolean {
    return this.#port?.isOpen === true;
  }

  /** One at a time, in order. Throws PERIPHERAL_CONNECT, PERIPHERAL_STUCK. */
  exchange(wanted: Wanted, signal: AbortSignal): Promise<Exchange> {
    const mine = this.#turn.then(() => this.#exchange(wanted, signal));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#port?.close();
    await this.#turn;
  }

  async #exchange({ bytes, messages }: Wanted, signal: AbortSignal): Promise<Exchange> {
    signal.throwIfAborted();
    const { name, path, timeoutMs } = this.settings;
    const late = await this.#clear();
    const port = await this.#open();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      if (!(await port.write(bytes, limit))) {
        await port.flush();
        signal.throwIfAborted();
        throw errors.PERIPHERAL_STUCK(name, path, timeoutMs / 1_000);
      }
      const answer = await this.#read(port, messages, limit);
      signal.throwIfAborted();
      return { ...answer, late };
    } catch (error) {
      if (!(error instanceof PortGone)) throw error;
      throw errors.PERIPHERAL_CONNECT(name, path, "it was unplugged", "plug it in and call again");
    }
  }

  async #open(): Promise<SerialPort> {
    if (this.#port?.isOpen) return this.#port;
    this.#port = await SerialPort.open(this.settings);
    this.#beyond = 0;
    if (this.#closed) await this.#port.close();
    return this.#port;
  }

  /** Throws away what came too late for the exchange before, and says how many bytes. */
  async #clear(): Promise<number> {
    let late = this.#beyond;
    this.#beyond = 0;
    if (!this.#port?.isOpen) return late;
    try {
      for (;;) {
        const bytes = this.#port.take();
        if (!bytes) return late;
        late += bytes.length;
        // A device that never stops: what the kernel holds goes unread.
        if (late > REPLY_BYTES) {
          await this.#port.flush();
          return late;
        }
      }
    } catch (error) {
      if (!(error instanceof PortGone)) throw error;
      return late;
    }
  }

  async #read(port: SerialPort, messages: number, signal: AbortSignal): Promise<Omit<Exchange, "late">> {
    const delimiter = Buffer.from(this.settings.delimiter);
    let reply: Buffer = Buffer.alloc(0);
    let ended = 0;
    let from = 0;
    while (reply.length < REPLY_BYTES) {
      const bytes = await port.read(signal);
      if (!bytes) return { reply, complete: false, cut: false };
      reply = Buffer.concat([reply, bytes]);
      for (let at = reply.indexOf(delimiter, from); at >= 0; at = reply.indexOf(delimiter, from)) {
        from = at + delimiter.length;
        ended += 1;
        if (ended < messages) continue;
        this.#beyond = reply.length - from;
        return {
          reply: reply.subarray(0, Math.min(from, REPLY_BYTES)),
          complete: true,
          cut: from > REPLY_BYTES,
        };
      }
      from = Math.max(from, reply.length - delimiter.length + 1);
    }
    this.#beyond = reply.length - REPLY_BYTES;
    return { reply: reply.subarray(0, REPLY_BYTES), complete: false, cut: true };
  }
}
