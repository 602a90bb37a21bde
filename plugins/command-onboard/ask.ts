import * as clack from "@clack/prompts";

/** Ctrl-C or Escape at a question: nothing was written. */
export class Cancelled extends Error {}

/** Questions to the person at the terminal, on stderr, so that stdout holds the answer alone. Each throws {@link Cancelled}. */
export class Ask {
  readonly #common: { readonly output: NodeJS.WriteStream; readonly signal: AbortSignal };

  constructor(signal: AbortSignal) {
    this.#common = { output: process.stderr, signal };
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
    return given(await clack.select<string>(asked)) as T;
  }

  /** A long list: type to search. */
  async search(
    message: string,
    options: readonly Choice<string>[],
    placeholder: string = "type to search",
  ): Promise<string> {
    return given(
      await clack.autocomplete<string>({
        ...this.#common,
        message,
        options: options.map(asOption),
        placeholder,
        maxItems: 10,
      }),
    );
  }

  /** `initial` is there to be edited; `usual` is what nothing typed means, and goes with the first letter. */
  async text(
    message: string,
    { initial = "", usual = "", check = required }: { initial?: string; usual?: string; check?: Check } = {},
  ): Promise<string> {
    const answer = await clack.text({
      ...this.#common,
      message,
      initialValue: initial,
      placeholder: usual,
      validate: (value) => check(value?.trim() || usual),
    });
    return given(answer).trim() || usual;
  }

  async secret(message: string): Promise<string> {
    return given(
      await clack.password({ ...this.#common, message, validate: (value) => required(value?.trim() ?? "") }),
    ).trim();
  }

  async yes(message: string, initialValue: boolean): Promise<boolean> {
    return given(await clack.confirm({ ...this.#common, message, initialValue }));
  }

  /** Shows that something takes a while; what it throws is shown and thrown on. */
  async while<T>(message: string, work: () => Promise<T>, done: (result: T) => string): Promise<T> {
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
    clack.intro(title, this.#common);
  }

  note(title: string, lines: readonly string[]): void {
    clack.note(lines.join("\n"), title, this.#common);
  }

  warn(message: string): void {
    clack.log.warn(message, this.#common);
  }

  end(message: string): void {
    clack.outro(message, this.#common);
  }
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string | undefined;
}
/** Undefined where the text is right, else what is wrong with it. */
export type Check = (text: string) => string | undefined;

function required(text: string): string | undefined {
  return text === "" ? "Please type something." : undefined;
}

function asOption({ value, label, hint }: Choice<string>): { value: string; label: string; hint?: string } {
  return { value, label, ...(hint !== undefined && { hint }) };
}

function given<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") throw new Cancelled("cancelled");
  return answer as Exclude<T, symbol>;
}
