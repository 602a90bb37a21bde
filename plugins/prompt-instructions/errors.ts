import { defineErrors, usage } from "@gantry/sdk";

export const errors = defineErrors({
  INSTRUCTIONS_UNREADABLE: usage(
    "The instructions in %s cannot be read (%s): mend agent.instructions, or the file's owner and mode.",
  ),
});
