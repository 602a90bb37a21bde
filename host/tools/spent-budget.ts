import type { TurnBudget } from "@gantry/sdk/fill";

/** The tokens that a turn has taken so far, with the turns within it. */
export class SpentBudget {
  readonly #limit: number;
  readonly #around: SpentBudget | undefined;
  #tokens = 0;

  constructor({ tokens = Infinity }: TurnBudget = {}, around?: SpentBudget) {
    this.#limit = tokens;
    this.#around = around;
  }

  spend(tokens: number): void {
    this.#tokens += tokens;
    this.#around?.spend(tokens);
  }

  /** Returns the bound that is reached, of this turn or one around it; undefined if none is. */
  reached(): number | undefined {
    return this.#tokens >= this.#limit ? this.#limit : this.#around?.reached();
  }
}
