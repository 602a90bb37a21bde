import { createInterface, type Interface } from "node:readline";
import { LineHistory } from "./line-history.ts";
import { Pastes } from "./pastes.ts";

const pastesOn = "\u001b[?2004h";
const pastesOff = "\u001b[?2004l";
/** A line that ends so goes on in the next one; two of them are one that was meant. */
const goesOn = /(?<!\\)(?:\\\\)*\\$/;

/** Lines that a person types, of one or many rows; what was pasted counts as typed in one go. */
export class LineReader {
  readonly #reader: Interface;
  readonly #pastes: Pastes;
  readonly #history: LineHistory;
  readonly #keepsHistory: () => boolean;
  #rows = "";
  #closed = false;

  /** `stray` gets what is typed while nobody asks; `interrupt` is Ctrl-C with nothing typed. */
  constructor(
    configDir: string,
    on: { stray(line: string): void; interrupt(): boolean; keepsHistory(): boolean },
  ) {
    this.#history = new LineHistory(configDir);
    this.#keepsHistory = on.keepsHistory;
    this.#pastes = new Pastes(process.stdin);
    this.#reader = createInterface({
      input: this.#pastes,
      output: process.stderr,
      terminal: true,
      historySize: 1_000,
      history: [...this.#history.lines],
    });
    if (process.env["TERM"] !== "dumb") process.stderr.write(pastesOn);
    this.#reader.on("history", (lines) => this.#keep(lines));
    this.#reader.on("close", () => (this.#closed = true));
    this.#reader.on("line", (row) => this.#collect(row, on.stray));
    // Back from Ctrl-Z readline leaves the input paused, and with nothing to wait for the program would end.
    this.#reader.on("SIGCONT", () => this.#reader.resume());
    this.#reader.on("SIGINT", () => {
      if (!on.interrupt() && !this.#clear()) process.kill(process.pid, "SIGINT");
    });
  }

  /** What is typed next, all its rows; undefined at the end of input and when `signal` ends the waiting. */
  async message(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    for (let shown = prompt; ; shown = "… ") {
      const row = await this.answer(shown, signal);
      if (row === undefined) return undefined;
      let whole: string | undefined;
      this.#collect(row, (text) => (whole = text));
      if (whole !== undefined) return whole;
    }
  }

  /** One row as it was typed: what was pasted stays a sign, so that it cannot pass for an answer. */
  answer(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const reader = this.#reader;
    return new Promise((resolve) => {
      if (signal.aborted || this.#closed) return resolve(undefined);
      const finish = (row?: string): void => {
        reader.off("close", closed);
        signal.removeEventListener("abort", lapsed);
        resolve(row);
      };
      const lapsed = (): void => finish();
      const closed = (): void => {
        // Ctrl-D leaves the cursor behind the prompt.
        process.stderr.write("\n");
        finish();
      };
      reader.once("close", closed);
      signal.addEventListener("abort", lapsed, { once: true });
      reader.question(prompt, { signal }, finish);
    });
  }

  close(): void {
    this.#reader.close();
    if (process.env["TERM"] !== "dumb") process.stderr.write(pastesOff);
    this.#history.save();
    process.stdin.unpipe(this.#pastes);
    process.stdin.pause();
  }

  #collect(row: string, done: (whole: string) => void): void {
    if (goesOn.test(row)) {
      this.#rows += `${row.slice(0, -1)}\n`;
      return;
    }
    const whole = this.#rows + row;
    this.#rows = "";
    done(this.#pastes.whole(whole));
  }

  /** Takes away what is half typed; false where there is nothing. */
  #clear(): boolean {
    if (this.#reader.line === "" && this.#rows === "") return false;
    this.#rows = "";
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    return true;
  }

  /** Answers to questions are no part of it. */
  #keep(lines: string[]): void {
    if (!this.#keepsHistory()) lines.shift();
    this.#history.lines = [...lines];
  }
}
