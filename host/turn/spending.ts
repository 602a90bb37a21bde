import { Budget, type ProviderFailure } from "@gantry/sdk";
import { errors } from "../errors.ts";
import { asError } from "@gantry/sdk/node";
import { askPerson } from "../tools/ask-person.ts";
import { factsOf, type TurnDeps, type TurnInput } from "./turn.ts";
import { conversationOf } from "../tools/turn-context.ts";

interface Coded {
  readonly code: string;
  readonly message: string;
}

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
  async refusal(): Promise<ProviderFailure | undefined> {
    const { want, budget: own } = this.#input.context;
    const reached = own.reached();
    if (reached !== undefined) return failure(errors.TURN_BUDGET_SPENT(reached));
    const budget = this.#deps.registry.get(Budget);
    if (!budget || this.#approved) return undefined;
    try {
      const verdict = await budget.check({ ...factsOf(this.#input), model: want.model });
      if (!verdict) return undefined;
      const { code, reason: message, until, configuration } = verdict;
      const isSaid = verdict.verdict !== "ask";
      if (isSaid) return { ...failure({ code, message }, until), ...(configuration && { configuration }) };
      const refused = await this.#ask(message, until);
      this.#approved = refused === undefined;
      return refused;
    } catch (error) {
      return failure(errors.BUDGET_FAILED(asError(error)));
    }
  }

  async #ask(reason: string, until: number | undefined): Promise<ProviderFailure | undefined> {
    const { user, session, options, context: turn } = this.#input;
    const { decision } = await askPerson(this.#deps.approvals, options, {
      session: conversationOf({ session, turn }),
      user,
      tool: "model",
      args: {},
      commands: 0,
      warnings: [],
      preview: "Ask the model on in this turn.",
      lines: 1,
      reasons: [reason],
    });
    if (decision === "allow") return undefined;
    // What a person decided does not change with the day.
    if (decision !== "nobody") return failure(errors.APPROVAL_DENIED(reason));
    return failure(errors.APPROVAL_NO_PERSON(reason), until);
  }
}

function failure({ code, message }: Coded, until?: number): ProviderFailure {
  const wait = until !== undefined && { retryAfterMs: Math.max(0, until - Date.now()) };
  return { code, message, retry: false, ...wait };
}
