import type { OpenProcess } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** A message as long as that is none of a page that a person would read. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

type Fields = Readonly<Record<string, any>>;
type Listener = (params: Fields, session: string) => void;

interface Pending {
  resolve(result: Fields): void;
  reject(error: Error): void;
}

/**
 * The DevTools protocol over two pipes: JSON that ends with a NUL, numbered requests, events by
 * name.
 */
export class Cdp {
  readonly #process: OpenProcess;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Listener>();
  #onSlow: (session: string) => void = () => undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #last = 0;
  #lost: string | undefined;

  /** `timeoutMs`: a browser that does not answer for so long is given up. */
  constructor(process: OpenProcess, timeoutMs: number) {
    this.#process = process;
    this.#timeoutMs = timeoutMs;
    const [, output] = process.pipes;
    output!.readable.on("data", (piece: Buffer) => this.#take(piece));
    void process.ended.then(({ reason, signal }) => this.lose(signal ? `${reason} by ${signal}` : reason));
  }

  get alive(): boolean {
    return this.#lost === undefined;
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, listener);
  }

  /** Told of a session that has not answered for half of the time. */
  whenSlow(listener: (session: string) => void): void {
    this.#onSlow = listener;
  }

  /** Throws `BROWSER_LOST`, and an Error with the browser's own words where it refuses. */
  async send(method: string, params: Fields = {}, session?: string): Promise<Fields> {
    if (this.#lost !== undefined) throw errors.BROWSER_LOST(this.#lost);
    const id = ++this.#last;
    const late = setTimeout(() => this.lose(`it did not answer ${method}`), this.#timeoutMs);
    const slow = setTimeout(() => session !== undefined && this.#onSlow(session), this.#timeoutMs / 2);
    try {
      return await new Promise<Fields>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        const message = { id, method, params, ...(session !== undefined && { sessionId: session }) };
        this.#process.pipes[0]!.writable.write(`${JSON.stringify(message)}\0`);
      });
    } finally {
      clearTimeout(late);
      clearTimeout(slow);
    }
  }

  /** The same where nobody needs the answer. */
  tell(method: string, params: Fields = {}, session?: string): void {
    this.send(method, params, session).catch(() => undefined);
  }

  #take(piece: Buffer): void {
    let from = 0;
    for (let end = piece.indexOf(0); end >= 0; end = piece.indexOf(0, from)) {
      this.#pieces.push(piece.subarray(from, end));
      const text = Buffer.concat(this.#pieces).toString("utf8");
      [this.#pieces, this.#bytes, from] = [[], 0, end + 1];
      this.#hear(text);
    }
    const rest = piece.subarray(from);
    this.#bytes += rest.length;
    if (this.#bytes > MAX_MESSAGE_BYTES) this.lose("it sent a message without an end");
    else if (rest.length > 0) this.#pieces.push(rest);
  }

  #hear(text: string): void {
    let message: Fields;
    try {
      message = JSON.parse(text) as Fields;
    } catch {
      return this.lose("it does not speak its protocol");
    }
    const { id, method, params, result, error, sessionId } = message;
    if (typeof id !== "number") return this.#listeners.get(String(method))?.(params ?? {}, sessionId ?? "");
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(new Error(String(error.message)));
    else pending?.resolve(result ?? {});
  }

  /** Gives the browser up and ends it. */
  lose(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    for (const { reject } of this.#pending.values()) reject(errors.BROWSER_LOST(why));
    this.#pending.clear();
    void this.#process.close();
  }
}
