import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  INBOX_BAD_NUMBER: usage("`%s` is not the number of a message: `gantry inbox list` shows them."),
  INBOX_WHICH: usage("Say which messages: numbers as `gantry inbox list` shows them, or --all."),
  INBOX_UNKNOWN: failed("No message %s waits or is a dead letter: `gantry inbox list` shows them."),
  INBOX_NOT_DEAD: failed("The message %s is not a dead letter, so it is not tried again: %s."),
  INBOX_BUSY: failed("The message %s is being answered, or is gone: look again with `gantry inbox list`."),
});
