type Kind = "question" | "work";

interface Step {
  readonly kind: Kind;
  readonly came: { readonly value: unknown } | { readonly error: unknown };
}

/**
 * The outcome of each step so far, so that a path can be gone through again up to the last question
 * without asking twice.
 */
export class Past {
  readonly #steps: Step[] = [];
  #at = 0;

  /** True while what comes was there before. */
  get isGoneThrough(): boolean {
    return this.#at < this.#steps.length;
  }

  /** A question that throws is not answered; work that fails has failed. */
  async step<T>(kind: Kind, take: () => Promise<T>): Promise<T> {
    const came = this.#steps[this.#at]?.came ?? (await this.#take(kind, take));
    this.#at += 1;
    if ("error" in came) throw came.error;
    return came.value as T;
  }

  /** Takes the last question back, with all that came after it; false if there is none. */
  back(): boolean {
    while (this.#steps.at(-1)?.kind === "work") this.#steps.pop();
    this.#at = 0;
    return this.#steps.pop() !== undefined;
  }

  async #take<T>(kind: Kind, take: () => Promise<T>): Promise<Step["came"]> {
    let came: Step["came"];
    try {
      came = { value: await take() };
    } catch (error) {
      if (kind === "question") throw error;
      came = { error };
    }
    this.#steps.push({ kind, came });
    return came;
  }
}
