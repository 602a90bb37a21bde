import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  BUDGET_SPENT: policy("The budget is spent: %s of %s for today (UTC): wait until tomorrow, or raise %s."),
  BUDGET_GUESTS: policy(
    "The guests' part of the budget is spent for today (UTC): wait until tomorrow, or raise budget.guest_share or %s.",
  ),
  BUDGET_NO_PRICE: policy(
    'The model %s has no price, so a budget in dollars cannot be kept: add [prices."%s"] with input and output.',
  ),
});
