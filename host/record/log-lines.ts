import { AsyncLocalStorage } from "node:async_hooks";
import type { Awaitable, GantryError } from "@gantry/sdk";
import { withTimeout } from "@gantry/sdk/node";
import { isPromise } from "../plugins/awaited.ts";

export type Level = "debug" | "info" | "warn" | "error";
type Detail = Readonly<Record<string, unknown>>;
export type LogWriter = (level: Level, detail: Detail, message: string) => void;

/** The arguments of a {@link LogWriter}. */
export type Line = readonly [level: Level, detail: Detail, message: string];

/** Lines that wait for a redactor; later ones are left out and counted. */
const maxHeld = 1_000;
const flushMs = 2_000;
const making = new AsyncLocalStorage<{ isOver: boolean }>();

/**
 * Writes lines in the order in which they were logged: a line whose redactor answers later holds
 * back all that come after it. A redactor logs nothing while it works on a line, or there would be
 * no end of lines.
 */
export class LogLines {
  readonly #writer: LogWriter;
  #held: number = 0;
  #leftOut: number = 0;
  #unwritten: number = 0;
  #last: Promise<void> | undefined;

  constructor(write: LogWriter) {
    this.#writer = write;
  }

  /** Never throws: another line says which one could not be redacted, how many not written. */
  add(make: () => Awaitable<Line>): void {
    if (making.getStore()?.isOver === false) return;
    if (this.#held === maxHeld) this.#leftOut += 1;
    else this.#put(made(make));
  }

  /** Resolves once no line is held back, after 2 s at the latest. */
  async written(): Promise<void> {
    const late = new Error("a redactor does not answer");
    await withTimeout(flushMs, this.#last, () => late).catch(() => {});
  }

  #put(line: Awaitable<Line>): void {
    if (!this.#last && !isPromise(line)) return this.#write(line);
    this.#held += 1;
    const last = this.#last;
    const write = async (): Promise<void> => {
      await last;
      const ready = await line;
      this.#held -= 1;
      this.#write(ready);
    };
    this.#last = write().finally(() => this.#held === 0 && this.#end());
  }

  #end(): void {
    this.#last = undefined;
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count > 0)
      this.#write(["warn", { count }, "Lines of the log were left out: redacting takes too long."]);
  }

  #write(line: Line): void {
    const count = this.#unwritten;
    const lost: Line = ["warn", { count }, "Lines of the log were not written."];
    if (!this.#isWritten(line)) this.#unwritten += 1;
    else if (count > 0 && this.#isWritten(lost)) this.#unwritten = 0;
  }

  #isWritten(line: Line): boolean {
    try {
      this.#writer(...line);
      return true;
    } catch {
      return false;
    }
  }
}

function made(make: () => Awaitable<Line>): Awaitable<Line> {
  const place = { isOver: false };
  const over = <T>(value: T): T => {
    place.isOver = true;
    return value;
  };
  const failed = (error: unknown): Line => {
    const { code } = error as GantryError;
    return over(["error", { code }, "A log line could not be redacted and was left out."] as const);
  };
  try {
    const line = making.run(place, make);
    return isPromise(line) ? line.then(over, failed) : over(line);
  } catch (error) {
    return failed(error);
  }
}
