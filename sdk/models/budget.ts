import type { Awaitable } from "../contract/awaitable.ts";
import type { Question, Refusal } from "../contract/hooks.ts";
import type { TurnFacts } from "../turns/observer.ts";
import type { Trust } from "../security/trust.ts";
import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/** That nothing is left, or that a person decides. */
export type BudgetVerdict = (Refusal | Question) & {
  /** Unix ms, if the budget comes back by itself: what a channel brought waits until then. */
  readonly until?: number;
  /**
   * True if only another configuration helps: what a channel brought is kept until then, and its
   * sender is told at once.
   */
  readonly configuration?: true;
};

/** A request that is about to be made. */
export interface BudgetRequest extends TurnFacts {
  /** Undefined if the provider chooses. */
  readonly model: string | undefined;
  /** The trust of whoever speaks in the turn. Absent in hosts of earlier releases. */
  readonly trust?: Trust;
}

/** Says before every request to a model if anything is left to pay for it. A throw is a no. */
export interface Budget {
  check(request: BudgetRequest): Awaitable<BudgetVerdict | void>;
}
export const Budget = one<Budget>("budget", having("check"));
