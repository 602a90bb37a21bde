import { StringDecoder } from "node:string_decoder";
import { Transform, type TransformCallback } from "node:stream";
import { PastedTexts } from "./pasted-texts.ts";

const begin = "\u001b[200~";
const end = "\u001b[201~";
/** The bytes that terminals send for Alt-Enter, which here means a line that goes on. */
// oxlint-disable-next-line no-control-regex -- control signs are what this is about
const altEnter = /\u001b[\r\n]/g;
/**
 * A paste may begin in one piece of input and go on in the next; a lone Escape key is never held.
 */
// oxlint-disable-next-line no-control-regex -- control signs are what this is about
const beginsPaste = /\u001b\[2(?:0(?:0)?)?$/;
// oxlint-disable-next-line no-control-regex -- control signs are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * The keyboard on its way to readline. What is pasted is one thing, however many lines it has: more
 * than one line stands as a short sign in the line that is typed, and nothing pasted ever presses
 * Enter.
 */
export class Pastes extends Transform {
  readonly isTTY = true;
  readonly texts: PastedTexts = new PastedTexts();
  readonly #keyboard: NodeJS.ReadStream;
  readonly #decoder = new StringDecoder("utf8");
  #held = "";
  #paste: string | undefined;

  constructor(keyboard: NodeJS.ReadStream) {
    super();
    this.#keyboard = keyboard;
    keyboard.pipe(this);
  }

  setRawMode(mode: boolean): this {
    this.#keyboard.setRawMode(mode);
    return this;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let text = this.#held + this.#decoder.write(chunk);
    this.#held = "";
    let out = "";
    while (text !== "") {
      if (this.#paste === undefined) {
        const at = text.indexOf(begin);
        out += (at < 0 ? text : text.slice(0, at)).replace(altEnter, "\\\r");
        text = at < 0 ? "" : text.slice(at + begin.length);
        if (at >= 0) this.#paste = "";
        continue;
      }
      this.#paste += text;
      text = "";
      const at = this.#paste.indexOf(end);
      if (at < 0) break;
      text = this.#paste.slice(at + end.length);
      out += this.#shown(this.#paste.slice(0, at));
      this.#paste = undefined;
    }
    const partial = beginsPaste.exec(out)?.[0] ?? "";
    this.#held = partial;
    done(null, out.slice(0, out.length - partial.length));
  }

  #shown(pasted: string): string {
    return this.texts.shown(pasted.replace(/\r\n?/g, "\n").replace(control, ""));
  }
}
