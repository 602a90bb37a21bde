import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from "node:readline";
import { isPlain } from "./is-plain.ts";
import { LineHistory } from "./line-history.ts";
import { PastLines } from "./past-lines.ts";
import { Pastes } from "./pastes.ts";
import { PlainLines } from "./plain-lines.ts";
import { takeInterrupts } from "./take-interrupts.ts";

const pastesOn = "\u001b[?2004h";
const pastesOff = "\u001b[?2004l";
/** The time for which a lone Escape waits for the rest of a key that begins with it. */
const escapeMs = 50;
/** A line that ends so goes on in the next one; two of them are one that was meant. */
const goesOn = /(?<!\\)(?:\\\\)*\\$/;

type Listener = () => void;

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** The listeners for what the keyboard brings while nobody asks for a line. */
export interface KeyboardEvents {
  stray(line: string): void;
  /** Ctrl-C; true if that has stopped something. */
  interrupt(): boolean;
  escape(): void;
  /** Ctrl-O: what was folded into one line last, safe to print; undefined if nothing was. */
  unfold(): string | undefined;
  keepsHistory(): boolean;
  /**
   * Completes a line with Tab: what may stand there, and the part of the line that it takes the
   * place of.
   */
  complete(line: string): Promise<[string[], string]>;
}

/** Lines that a person types, of one or many rows; what was pasted counts as typed in one go. */
export class LineReader {
  readonly #reader: Interface;
  readonly #input: Pastes | PlainLines;
  readonly #history: LineHistory;
  readonly #on: KeyboardEvents;
  readonly #isPlain: boolean = isPlain();
  readonly #release: () => void;
  readonly #letResizes: () => void;
  readonly #past: PastLines = new PastLines();
  #rows = "";
  /** True while somebody waits for a line. */
  #isAsked = false;
  #closed = false;
  /** True once Ctrl-C was pressed and nothing since. */
  #ends = false;

  constructor(configDir: string, on: KeyboardEvents) {
    this.#on = on;
    this.#history = new LineHistory(configDir);
    const interrupt = (): void => this.#interrupt();
    this.#input = this.#isPlain ? new PlainLines(process.stdin) : new Pastes(process.stdin);
    // Readline reads keys elsewhere; a plain terminal makes a signal of this one.
    this.#release = this.#isPlain ? takeInterrupts(interrupt) : () => {};
    const resizes = process.stderr.listeners("resize") as Listener[];
    this.#reader = createInterface({
      input: this.#input,
      output: process.stderr,
      terminal: !this.#isPlain,
      escapeCodeTimeout: escapeMs,
      historySize: 1_000,
      history: [...this.#history.lines],
      completer: (line: string, done: (error: null, found: [string[], string]) => void) => {
        on.complete(line).then(
          (found) => done(null, found),
          () => done(null, [[], line]),
        );
      },
    });
    this.#letResizes = this.#holdResizes(resizes);
    if (!this.#isPlain) process.stderr.write(pastesOn);
    this.#reader.on("history", (lines) => this.#keep(lines));
    this.#reader.on("close", () => (this.#closed = true));
    this.#reader.on("line", (row) => this.#collect(row, on.stray));
    // Back from Ctrl-Z readline leaves the input paused, and with nothing to wait for the program
    // would end.
    this.#reader.on("SIGCONT", () => this.#reader.resume());
    this.#reader.on("SIGINT", interrupt);
    this.#input.on("keypress", (_: string, { name, ctrl = false }: Key) => {
      if (!ctrl || name !== "c") this.#ends = false;
      if (ctrl && name === "r") return this.#search();
      this.#past.end();
      if (name === "escape") on.escape();
      if (ctrl && name === "o") this.#unfold();
    });
  }

  /** Puts the next older line that holds what is typed in its place. */
  #search(): void {
    const found = this.#past.next(this.#history.lines, this.#reader.line);
    if (found === undefined) return;
    this.#replaceLine();
    this.#reader.write(found);
  }

  /** Writes what is unfolded above the line that is typed. */
  #unfold(): void {
    const text = this.#on.unfold();
    if (text === undefined) return;
    if (!this.#isAsked) {
      process.stderr.write(`${this.#reader.line === "" ? "" : "\n"}${text}\n`);
      return;
    }
    const { rows } = this.#reader.getCursorPos();
    if (rows > 0) moveCursor(process.stderr, 0, -rows);
    cursorTo(process.stderr, 0);
    clearScreenDown(process.stderr);
    process.stderr.write(`${text}\n`);
    this.#reader.prompt(true);
  }

  /**
   * Lets readline draw its line again on a resized window only while it has one: else it would wipe
   * an answer.
   */
  #holdResizes(before: readonly Listener[]): () => void {
    const { stderr } = process;
    const own = (stderr.listeners("resize") as Listener[]).filter((one) => !before.includes(one));
    for (const one of own) stderr.off("resize", one);
    const redraw = (): void => {
      if (this.#isAsked) for (const one of own) one();
    };
    stderr.on("resize", redraw);
    return () => stderr.off("resize", redraw);
  }

  /**
   * Returns what is typed next, all its rows; undefined at the end of input and when `signal` ends
   * the waiting.
   */
  async message(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    for (let shown = prompt; ; shown = "… ") {
      const row = await this.answer(shown, signal);
      if (row === undefined) return undefined;
      let whole: string | undefined;
      this.#collect(row, (text) => (whole = text));
      if (whole !== undefined) return whole;
    }
  }

  /**
   * One row as it was typed: what was pasted stays a sign, so that it cannot pass for an answer.
   */
  answer(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const reader = this.#reader;
    return new Promise((resolve) => {
      if (signal.aborted || this.#closed) return resolve(undefined);
      this.#isAsked = true;
      const finish = (row?: string): void => {
        this.#isAsked = false;
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

  /** Returns the files of pictures that were pasted into a line. */
  pictures(line: string): readonly string[] {
    return this.#input.texts.pictures(line);
  }

  /** Puts a text where the person types, as if they had typed it; several lines as one sign. */
  give(text: string): void {
    this.#reader.write(this.#input.texts.shown(text));
  }

  close(): void {
    this.#reader.close();
    if (!this.#isPlain) process.stderr.write(pastesOff);
    this.#history.save();
    this.#letResizes();
    this.#release();
    process.stdin.unpipe(this.#input);
    process.stdin.pause();
  }

  /** Ctrl-C stops what runs, else clears what is half typed; pressed again, it ends the program. */
  #interrupt(): void {
    if (this.#ends) {
      this.#release();
      process.kill(process.pid, "SIGINT");
      return;
    }
    const isOver = this.#on.interrupt() || this.#clear();
    this.#ends = true;
    if (!isOver) process.stderr.write("\nCtrl-C again ends it.\n");
    if (!isOver) this.#reader.prompt(true);
  }

  #collect(row: string, done: (whole: string) => void): void {
    if (goesOn.test(row)) {
      this.#rows += `${row.slice(0, -1)}\n`;
      return;
    }
    const whole = this.#rows + row;
    this.#rows = "";
    done(this.#input.texts.whole(whole));
  }

  /** Takes away what is half typed; returns false if there is nothing. */
  #clear(): boolean {
    if (this.#reader.line === "" && this.#rows === "") return false;
    this.#rows = "";
    this.#replaceLine();
    return true;
  }

  #replaceLine(): void {
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
  }

  /** Keeps the lines that were typed, except answers to questions. */
  #keep(lines: string[]): void {
    if (!this.#on.keepsHistory()) lines.shift();
    this.#history.lines = [...lines];
  }
}
