import { AsyncLocalStorage } from "node:async_hooks";
import type { Awaitable, GantryError } from "@gantry/sdk";
import { isPromise, withTimeout } from "@gantry/sdk/node";

export type Level = "debug" | "info" | "warn" | "error";
type Detail = Readonly<Record<string, unknown>>;
export type LogWriter = (level: Level, detail: Detail, message: string) => void;

/** The arguments of a {@link LogWriter}. */
export type Line = readonly [level: Level, detail: Detail, message: string];

/** Lines that wait for a redactor; later ones are left out and counted. */
const maxHeld = 1_000;
const flushMs = 2_000;
const leftOut = "Lines of the log were left out: they were not redacted in time, or not written.";
const making = new AsyncLocalStorage<{ isOver: boolean }>();

/**
 * Writes lines in the order in which they were logged: a line whose redactor answers later holds
 * back all that come after it. A redactor logs nothing while it works on a line, or lines would
 * never end.
 */
export class LogLines {
  readonly #writer: LogWriter;
  #held: number = 0;
  #leftOut: number = 0;
  #last: Promise<void> | undefined;

  constructor(write: LogWriter) {
    this.#writer = write;
  }

  /** Never throws: a line that cannot be redacted or written is left out, which another says. */
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
    if (!this.#last && !isPromise(line)) {
      this.#write(line);
      return this.#end();
    }
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
    if (count > 0) this.#write(["warn", { count }, leftOut], count);
  }

  /** Stands for so many lines, which are left out if it cannot be written. */
  #write(line: Line, count: number = 1): void {
    try {
      this.#writer(...line);
    } catch {
      this.#leftOut += count;
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
