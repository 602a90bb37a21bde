import { defineErrors, errors as shared, failed, usage } from "@gantry/sdk";

/** The codes that only the command line raises. */
export const cliErrors = defineErrors({
  CONFIG_EXISTS: usage("%s is already there and is never overwritten: edit it, or move it away first."),
  CONFIG_NOT_SET: usage("`%s` does not stand in %s: nothing was changed."),
  WORD_UNCONFIGURED: usage(
    "Unknown command '%s': set it up in config.toml first, as [%s] there loads the plugin %s.",
  ),
  NODE_TOO_OLD: usage("Gantry needs Node 22.19 or newer and this is %s: install a newer Node."),
  NOT_RUNNING: failed("No service runs on %s: start it with `gantry daemon` or `gantry service start`."),
  RELOAD_FAILED: failed("The configuration in force stays: %s"),
});

/** Its own codes, and those that it shares with plugins. */
export const errors = Object.freeze({ ...shared, ...cliErrors });
