import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  PATH_SENSITIVE: policy(
    "%s holds credentials, or what programs obey, by its name, and no tool may %s it: leave it to a person.",
  ),
  PATH_TOO_MUCH: policy(
    "The paths and patterns in this command stand for more than can be checked: name fewer files, or split the command.",
  ),
  PATH_UNCERTAIN: policy("It cannot be told from the text which file this names: %s."),
  PATH_NO_WALLS: policy(
    "Path blocked by security policy: it cannot be told from the text which file this names (%s), nobody is asked in autonomous, and no kernel walls hold here: write the path out, use a system with walls, or a lower agent.autonomy_level.",
  ),
  PATH_UNREAD: policy(
    "No plugin reads shell text, so the paths in this command are not checked: list a guard for commands, see `gantry plugins list`.",
  ),
});
