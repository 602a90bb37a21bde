import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  TOOL_BAD_QUESTION: failed("The tool %s asks a person %s."),
  TOOL_MANY_QUESTIONS: failed(
    "The tool %s asks nothing, since %s questions of tools wait for %s: answer one of them first.",
  ),
});
