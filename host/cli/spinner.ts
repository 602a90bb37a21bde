import type { WriteStream } from "node:tty";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** A sign of life on a terminal; silent elsewhere. It shows only what takes longer than a blink. */
export class Spinner {
  readonly #stream: WriteStream;
  #timer: NodeJS.Timeout | undefined;
  #what = "";
  #shown = false;

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** While it turns, only its words change. */
  start(what: string): void {
    this.#what = what;
    if (!this.#stream.isTTY || this.#timer) return;
    let frame = 0;
    this.#timer = setInterval(() => {
      this.#shown = true;
      this.#stream.write(`\r\u001b[2K${frames[(frame += 1) % frames.length] ?? ""} ${this.#what}`);
    }, 120);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#shown) this.#stream.write("\r\u001b[2K");
    this.#shown = false;
  }
}
