import * as clack from "@clack/prompts";
import { Past } from "./past.ts";

/** Ctrl-C at a question: nothing was written. */
export class Cancelled extends Error {}
/** Escape: the question before is wanted again. */
export class Back extends Cancelled {}

/**
 * Questions to the person at the terminal, on stderr, so that stdout holds the answer alone. Each
 * throws {@link Cancelled} or {@link Back}.
 */
export class Ask {
  readonly #common: { readonly output: NodeJS.WriteStream; readonly signal: AbortSignal };
  readonly #past = new Past();
  #lastKey: string | undefined;
  readonly #onKey = (_: unknown, key?: { readonly name?: string }): void => {
    this.#lastKey = key?.name;
  };

  constructor(signal: AbortSignal) {
    this.#common = { output: process.stderr, signal };
    process.stdin.on("keypress", this.#onKey);
  }

  /**
   * Goes back to the last question that was answered, whose successors are asked again; returns
   * false if there is none.
   */
  back(): boolean {
    return this.#past.back();
  }

  async choice<T extends string>(
    message: string,
    options: readonly Choice<T>[],
    initialValue?: T,
  ): Promise<T> {
    const asked = {
      ...this.#common,
      message,
      options: options.map(asOption),
      ...(initialValue !== undefined && { initialValue }),
    };
    return (await this.#answer(() => clack.select<string>(asked))) as T;
  }

  /** A long list: type to search. */
  async search(
    message: string,
    options: readonly Choice<string>[],
    placeholder: string = "type to search",
  ): Promise<string> {
    return this.#answer(() =>
      clack.autocomplete<string>({
        ...this.#common,
        message,
        options: options.map(asOption),
        placeholder,
        maxItems: 10,
      }),
    );
  }

  /**
   * `initial` is there to be edited; `usual` is what nothing typed means, and goes with the first
   * letter.
   */
  async text(
    message: string,
    { initial = "", usual = "", check = required }: { initial?: string; usual?: string; check?: Check } = {},
  ): Promise<string> {
    const answer = await this.#answer(() =>
      clack.text({
        ...this.#common,
        message,
        initialValue: initial,
        placeholder: usual,
        validate: (value) => check(value?.trim() || usual),
      }),
    );
    return answer.trim() || usual;
  }

  async secret(message: string): Promise<string> {
    return (await this.#answer(() => clack.password({ ...this.#common, message, validate: typed }))).trim();
  }

  async yes(message: string, initialValue: boolean): Promise<boolean> {
    return this.#answer(() => clack.confirm({ ...this.#common, message, initialValue }));
  }

  /** Shows that something takes a while; what it throws is shown and thrown on. */
  async while<T>(message: string, work: () => Promise<T>, done: (result: T) => string): Promise<T> {
    return this.#past.step("work", () => this.#while(message, work, done));
  }

  async #while<T>(message: string, work: () => Promise<T>, done: (result: T) => string): Promise<T> {
    const spinner = clack.spinner({ ...this.#common });
    spinner.start(message);
    try {
      const result = await work();
      spinner.stop(done(result));
      return result;
    } catch (error) {
      spinner.error(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  begin(title: string): void {
    if (!this.#past.isGoneThrough) clack.intro(title, this.#common);
  }

  note(title: string, lines: readonly string[]): void {
    if (!this.#past.isGoneThrough) clack.note(lines.join("\n"), title, this.#common);
  }

  warn(message: string): void {
    if (!this.#past.isGoneThrough) clack.log.warn(message, this.#common);
  }

  end(message: string): void {
    process.stdin.off("keypress", this.#onKey);
    clack.outro(message, this.#common);
  }

  #answer<T>(ask: () => Promise<T>): Promise<Exclude<T, symbol>> {
    return this.#past.step("question", async () => {
      this.#lastKey = undefined;
      const answer = await ask();
      if (typeof answer !== "symbol") return answer as Exclude<T, symbol>;
      throw this.#lastKey === "escape" && !this.#common.signal.aborted ? new Back() : new Cancelled();
    });
  }
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string | undefined;
}
/** Returns the fault of a text; undefined if it is right. */
export type Check = (text: string) => string | undefined;

function typed(value: string = ""): string | undefined {
  return required(value.trim());
}

function required(text: string): string | undefined {
  return text === "" ? "Please type something." : undefined;
}

function asOption({ value, label, hint }: Choice<string>): { value: string; label: string; hint?: string } {
  return { value, label, ...(hint !== undefined && { hint }) };
}
