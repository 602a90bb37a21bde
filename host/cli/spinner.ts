import type { WriteStream } from "node:tty";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** A sign of life on a terminal; silent elsewhere. It shows only what takes longer than a blink. */
export class Spinner {
  readonly #stream: WriteStream;
  #timer: NodeJS.Timeout | undefined;
  #shown = false;

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  start(what: string): void {
    this.stop();
    if (!this.#stream.isTTY) return;
    let frame = 0;
    this.#timer = setInterval(() => {
      this.#shown = true;
      this.#stream.write(`\r\u001b[2K${frames[(frame += 1) % frames.length] ?? ""} ${what}`);
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
