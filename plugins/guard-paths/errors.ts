import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  PATH_SENSITIVE: policy(
    "%s holds credentials, or what programs obey, by its name, and no tool may %s it: leave it to a person.",
  ),
  PATH_TOO_MUCH: policy(
    "The paths and patterns in this command stand for more than can be checked: name fewer files, or split the command.",
  ),
  PATH_UNREAD: policy(
    "No plugin reads shell text, so the paths in this command are not checked: list a guard for commands, see `gantry plugins list`.",
  ),
});
