import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  ONBOARD_NO_TERMINAL: usage(
    "There is no terminal to ask in and no --provider: pass --provider <id> and, if it needs one, --api-key-env <NAME> and --model <name>, or run `gantry onboard` in a terminal.",
  ),
  ONBOARD_TWO_KEYS: usage("--api-key and --api-key-env were both given: pass one of them."),
  ONBOARD_NO_VARIABLE: usage(
    "The environment variable %s is not set: set it before `gantry onboard`, or name another one.",
  ),
  ONBOARD_BAD_VARIABLE: usage("`%s` is not the name of an environment variable: use letters, digits and _."),
  ONBOARD_BAD_AUTONOMY: usage(
    "`%s` is not an autonomy level: use supervised, semi-autonomous or autonomous.",
  ),
  ONBOARD_NO_ADDRESS: usage(
    "The provider %s takes its address from elsewhere: leave out --api-url, or name a provider whose id holds the address.",
  ),
  ONBOARD_FOREIGN_KEY: usage(
    "config.toml holds the api_key of %s, which would be sent to %s: give the new provider its own key, or remove that line first.",
  ),
  ONBOARD_TEST_FAILED: failed("The provider did not pass its test, so nothing was written: %s"),
});
