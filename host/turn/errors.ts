import { defineErrors, errors as shared, failed, policy } from "@gantry/sdk";

/** The codes of turns. */
export const turnErrors = defineErrors({
  BUDGET_FAILED: policy(
    "The budget could not be looked up (%s), so the model was not asked: repair the store.",
  ),
  CONTEXT_FULL: failed(
    "The conversation is longer than the model takes (%s); it goes on with what fits: say again what matters, or start again with /new.",
  ),
  TURN_TOO_LONG: failed(
    "The model asked for tools %s times in one turn and was stopped: raise agent.max_tool_iterations if that is intended.",
  ),
  TURN_BUDGET_SPENT: policy(
    "The turn has used the %s tokens that it was given and was stopped: give it more, or a smaller task.",
  ),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...turnErrors });
