import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SESSION_UNKNOWN: failed("There is no conversation %s: `gantry sessions list` names them."),
  SESSION_WHICH: usage(
    "It is not said whose conversations are meant: name one conversation, or a person with --user <channel>:<id>, and not both.",
  ),
  SESSION_USER: usage("`%s` is no user: write <channel>:<id>, as in telegram:42."),
});
