import { defineErrors, policy, refuse } from "@gantry/sdk";
import type { Budget } from "@gantry/sdk/fill";

export const errors = defineErrors({
  EVENING_OVER: policy("There are no answers from %s h UTC on: write tomorrow."),
});

const dayMs = 86_400_000;

/** What a channel brought waits `until` there is something again. */
export function createBudget(hour: number, now: () => number): Budget {
  return {
    check() {
      const passed = now() % dayMs;
      if (passed < hour * 3_600_000) return undefined;
      return { ...refuse(errors.EVENING_OVER(hour)), until: now() - passed + dayMs };
    },
  };
}
