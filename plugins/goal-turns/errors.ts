import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  GOAL_NONE: failed("No goal is worked on in this conversation: go on without a verdict."),
});
