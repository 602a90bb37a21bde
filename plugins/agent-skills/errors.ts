import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SKILL_UNKNOWN: usage("There is no skill %s: `gantry skills list` names those that were found, and where."),
  SKILL_NOT_ACCEPTED: policy(
    "The skill %s is not accepted: whoever owns this machine reads it and runs `gantry skills accept %s`.",
  ),
  SKILL_CHANGED: policy(
    "The skill %s is not what was accepted: its owner reads it again and runs `gantry skills accept %s`.",
  ),
  SKILL_NO_FILE: failed("The skill %s has no file %s: its files are %s."),
  SKILL_FILE_NOT_TEXT: failed("The file %s of the skill %s is not text in UTF-8: copy it by a command."),
  SKILL_FILE_TOO_LONG: failed("The file %s of the skill %s has %s bytes, and %s are read at most."),
  SKILL_UNREADABLE: failed("The skill in %s cannot be read: %s. Mend that and try again."),
  SKILL_OTHER: policy("The skill %s has changed since it was shown: look at it again before you accept it."),
  SKILL_UNDECIDED: policy("The skill %s was not accepted: say yes, or give --yes where nobody can be asked."),
});
