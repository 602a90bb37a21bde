import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  TOOL_BAD_QUESTION: failed("The tool %s asks a person %s."),
});
