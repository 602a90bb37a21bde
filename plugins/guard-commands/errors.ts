import { defineErrors, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  COMMAND_BLOCKED: policy("Command blocked by security policy: `%s` is in security.blocked_commands."),
  COMMAND_OWN: policy(
    "Command blocked by security policy: `%s` governs this service itself, and only a person runs it.",
  ),
  COMMAND_UNREADABLE: policy(
    "Command blocked by security policy: it cannot be read with certainty (%s); write it in plain bash.",
  ),
  COMMAND_VARIABLE: policy(
    "Command blocked by security policy: it sets %s, which changes what other commands run; leave that variable alone.",
  ),
  COMMAND_UNCERTAIN: policy(
    "This is more than plain programs with plain options, and no kernel walls hold here: %s.",
  ),
  COMMAND_NO_WALLS: policy(
    "Command blocked by security policy: no kernel walls hold here, and this is more than plain " +
      "programs with plain options (%s): use a system with walls, or a lower agent.autonomy_level.",
  ),
  ALLOW_NEVER: usage(
    "security.allow holds `%s`, which has a character that separates or redirects commands, so it covers none: write a rule for the words of each command alone.",
  ),
  ALLOW_IDLE: usage(
    "security.allow holds `%s`, which covers no command: write the exact command line of a program " +
      "that starts others, and the name of an option without a wildcard.",
  ),
  ALLOW_NO_OPTIONS: usage(
    "security.allow holds `%s`, whose `*` covers no option: name each option in a rule of its own.",
  ),
  COMMAND_BAD_ENTRY: usage(
    "security.blocked_commands holds `%s`, which names no command: write a name, or a name with its first arguments.",
  ),
});
