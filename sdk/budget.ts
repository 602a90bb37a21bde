import type { Awaitable } from "./awaitable.ts";
import type { Question, Refusal } from "./hooks.ts";
import type { TurnFacts } from "./observer.ts";
import { one } from "./slot.ts";

/** Says before every request to a model whether there is anything left to pay for it. What it throws is a no. */
export interface Budget {
  /** `model` is undefined where the provider chooses. */
  check(request: TurnFacts & { readonly model: string | undefined }): Awaitable<Refusal | Question | void>;
}
export const Budget = one<Budget>("budget");
