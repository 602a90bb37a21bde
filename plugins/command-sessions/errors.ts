import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SESSION_UNKNOWN: failed("There is no conversation %s: `gantry sessions list` names them.", 404),
  SESSION_WHICH: usage(
    "It is not said whose conversations are meant: name one conversation, or a person with --user <channel>:<id>, and not both.",
  ),
  SESSION_NOT_OWN: policy(
    "The conversation %s is not this device's own: to remove it takes a token with the scope manage.",
  ),
  SESSION_USER: usage("`%s` is not a user: write <channel>:<id>, as in telegram:42."),
});
