import { defineErrors, usage } from "@gantry/sdk";

export const errors = defineErrors({
  INSTRUCTIONS_CLOSED: usage(
    "agent.instructions may not name %s, which security.%s closes: it would be sent to the model with every request.",
  ),
  INSTRUCTIONS_UNREADABLE: usage(
    "The instructions in %s cannot be read (%s): correct agent.instructions, or the file's owner and mode.",
  ),
});
