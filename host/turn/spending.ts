import { Budget } from "@gantry/sdk/fill";
import type { ProviderFailure } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { toolErrors } from "../tools/errors.ts";
import { asError } from "@gantry/sdk/node";
import { askPerson, wayToBeAsked } from "../tools/ask-person.ts";
import { factsOf, type TurnDeps, type TurnInput } from "./turn.ts";
import { conversationOf } from "../tools/turn-context.ts";

/** The thing that the person is asked for, as a refusal names it. */
const beyond = "To go on beyond the budget";

interface Coded {
  readonly code: string;
  readonly message: string;
}

/** Asks the budget before every request, and the person once a turn if the budget wants to know. */
export class Spending {
  readonly #deps: TurnDeps;
  readonly #input: TurnInput;
  #approved = false;

  constructor(deps: TurnDeps, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
  }

  /** Returns why the request may not be made; undefined if it may. */
  async refusal(): Promise<ProviderFailure | undefined> {
    const { want, trust, budget: own } = this.#input.context;
    const reached = own.reached();
    if (reached !== undefined) return failure(errors.TURN_BUDGET_SPENT(reached));
    const budget = this.#deps.registry.get(Budget);
    if (!budget || this.#approved) return undefined;
    try {
      const verdict = await budget.check({ ...factsOf(this.#input), model: want.model, trust });
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
    const question = {
      session: conversationOf({ session, turn }),
      user,
      tool: "the model",
      args: {},
      commands: 0,
      warnings: [],
      preview: "This turn goes on beyond the budget.",
      lines: 1,
      reasons: [reason],
    };
    const decided = await askPerson(this.#deps, options, question, turn);
    switch (decided.decision) {
      case "allow":
        return undefined;
      case "nobody":
        return failure(toolErrors.APPROVAL_NO_PERSON(beyond, wayToBeAsked(turn), reason), until);
      // A person's decision does not change with the day.
      case "expired":
        return failure(toolErrors.APPROVAL_EXPIRED("the budget", this.#deps.approvals.waitMs / 1_000));
      case "undelivered":
        return failure(toolErrors.APPROVAL_UNDELIVERED("the budget", decided.reason));
      default:
        return failure(toolErrors.APPROVAL_DENIED(beyond, "."));
    }
  }
}

function failure({ code, message }: Coded, until?: number): ProviderFailure {
  const wait = until !== undefined && { retryAfterMs: Math.max(0, until - Date.now()) };
  return { code, message, retry: false, ...wait };
}
