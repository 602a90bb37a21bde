import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  LIMIT_REACHED: policy(
    "%s has done %s actions in the last %s, which is all that security.%s allows: try again %s.",
  ),
});
