import { defineErrors, errors as shared, failed, usage } from "@gantry/sdk";

/** The codes that only the command line raises. */
export const cliErrors = defineErrors({
  CONFIG_EXISTS: usage("%s is already there and is never overwritten: edit it, or move it away first."),
  CONFIG_NOT_SET: usage("`%s` does not stand in %s: nothing was changed."),
  CONFIG_NO_KEY: usage("There is no configuration key `%s`%s: `gantry config schema` lists them all."),
  CONFIG_BUSY: failed("%s is being changed by another process (%s): wait for it to end, or end it."),
  CONFIG_LOCKED: failed("%s changed while it was being edited: look at the file and run the command again."),
  CONFIG_BAD_EDIT: failed(
    "%s was not changed, since its edit would have done more or less than change %s: edit it by hand.",
  ),
  CONFIG_NO_EDITOR: usage("%s cannot be edited, since no plugin fills the slot %s: change the file by hand."),
  CONFIG_UNSAFE: usage(
    "The configuration is not used, since somebody else may have changed %s (%s): run `%s` and look through what is in it.",
  ),
  CONFIG_RETIRED_KEY: usage("%s, line %s: `%s` is retired and the next minor release refuses it: %s."),
  CONFIG_MISSING_VARIABLE: usage(
    "%s, line %s: `%s` uses ${%s}, which is not set: set the variable or write the value.",
  ),
  CONFIG_SECRET_VARIABLE: usage(
    "%s, line %s: `%s` uses ${%s}, a secret by its name, which would be sent to a model or shown in an address: use it in a key for secrets, such as api_key.",
  ),
  NOT_RUNNING: failed("No service runs on %s: start it with `gantry daemon` or `gantry service start`."),
  CONFIG_GONE: failed(
    "Config file not found at %s, by which the service runs: " +
      "put it back, then run `gantry config reload`.",
  ),
  RELOAD_FAILED: failed("The configuration in force stays: %s"),
  PROVIDER_TABLE_UNKNOWN: usage(
    "%s, line %s: `[providers.%s]` is for no provider that is loaded%s: write it as default_provider is written, or remove it.",
  ),
  WORD_UNCONFIGURED: usage(
    "Unknown command '%s': set it up in config.toml first, as [%s] there loads the plugin %s.",
  ),
  INPUT_LINE_TOO_LONG: usage(
    "A line of the input is longer than %s characters: end each message with a line break.",
  ),
  NODE_TOO_OLD: usage("Gantry needs Node 22.19 or newer and this is %s: install a newer Node."),
});

/** Its own codes, and those that it shares with plugins. */
export const errors = Object.freeze({ ...shared, ...cliErrors });
