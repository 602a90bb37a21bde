import { defineErrors, errors as shared, usage } from "@gantry/sdk";

/** The codes that only the command line raises. */
export const cliErrors = defineErrors({
  CONFIG_EXISTS: usage("%s is already there and is never overwritten: edit it, or move it away first."),
  CONFIG_NOT_SET: usage("`%s` does not stand in %s: nothing was changed."),
  WORD_UNCONFIGURED: usage(
    "Unknown command '%s': set it up in config.toml first, as [%s] there loads the plugin %s.",
  ),
  NODE_TOO_OLD: usage("Gantry needs Node 22.19 or newer and this is %s: install a newer Node."),
});

/** Its own codes, and those that it shares with plugins. */
export const errors = Object.freeze({ ...shared, ...cliErrors });
