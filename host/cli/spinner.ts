import type { WriteStream } from "node:tty";
import { isPlain } from "./is-plain.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/**
 * A sign of life on a terminal that says what is being done and for how long; silent elsewhere, and
 * where a terminal is plain. It shows only what takes longer than a blink.
 */
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
    if (!this.#stream.isTTY || this.#timer || isPlain()) return;
    let frame = 0;
    const began = performance.now();
    this.#timer = setInterval(() => {
      this.#shown = true;
      const seconds = Math.floor((performance.now() - began) / 1_000);
      const words = seconds > 2 ? `${this.#what} (${seconds} s)` : this.#what;
      // A line that wraps could not be taken away again.
      const line = `${frames[(frame += 1) % frames.length] ?? ""} ${words}`.slice(
        0,
        this.#stream.columns - 1,
      );
      this.#stream.write(`\r\u001b[2K${line}`);
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
