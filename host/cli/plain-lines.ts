import { StringDecoder } from "node:string_decoder";
import { Transform, type TransformCallback } from "node:stream";
import { PastedTexts } from "./pasted-texts.ts";

/** Nobody types two lines within so long: they were pasted. */
const pasteMs = 30;

/**
 * The keyboard of a plain terminal on its way to readline: the system does the editing and hands
 * over whole lines. Lines that come at once are one message.
 */
export class PlainLines extends Transform {
  readonly texts: PastedTexts = new PastedTexts();
  readonly #decoder = new StringDecoder("utf8");
  #held = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(keyboard: NodeJS.ReadStream) {
    super();
    keyboard.pipe(this);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#held += this.#decoder.write(chunk);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#release(), pasteMs);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#release();
    done();
  }

  #release(): void {
    clearTimeout(this.#timer);
    const text = this.#held;
    this.#held = "";
    const lines = text.replace(/\n$/, "");
    if (text !== "") this.push(lines.includes("\n") ? `${this.texts.shown(lines)}\n` : text);
  }
}
