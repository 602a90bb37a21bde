import { Budget, errors, type GantryError } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { askPerson } from "../tools/request-approval.ts";
import type { TurnDeps, TurnInput } from "./turn.ts";

/** Asks the budget before every request, and the person where the budget wants to know whether to go on: once a turn. */
export class Spending {
  readonly #deps: TurnDeps;
  readonly #input: TurnInput;
  #approved = false;

  constructor(deps: TurnDeps, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
  }

  /** Why the request may not be made; undefined where it may. */
  async refusal(): Promise<{ readonly code: string; readonly message: string } | undefined> {
    const budget = this.#deps.registry.get(Budget);
    if (!budget || this.#approved) return undefined;
    const { session, user, want } = this.#input;
    try {
      const verdict = await budget.check({ session, user, model: want.model });
      if (!verdict) return undefined;
      const { code, reason: message } = verdict;
      if (verdict.verdict !== "ask") return { code, message };
      const error = await this.#ask(message);
      this.#approved = error === undefined;
      return error;
    } catch (error) {
      return errors.BUDGET_FAILED(asError(error));
    }
  }

  async #ask(reason: string): Promise<GantryError | undefined> {
    const { session, user, options } = this.#input;
    const question = {
      session,
      user,
      tool: "model",
      args: {},
      preview: "Ask the model on",
      reasons: [reason],
    };
    const { error } = await askPerson(this.#deps.approvals, options, question);
    return error;
  }
}
