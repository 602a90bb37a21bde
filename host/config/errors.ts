import { defineErrors, errors as shared, usage } from "@gantry/sdk";

/** The codes of the configuration and its workspace. */
export const configErrors = defineErrors({
  CONFIG_TOML: usage(
    "Failed to parse config: invalid TOML in %s, line %s, column %s: %s; fix that line, or move the file away and run `gantry config init`.",
  ),
  CONFIG_UNREADABLE: usage("The configuration file %s cannot be read (%s): check who owns it and its mode."),
  CONFIG_UNKNOWN_KEY: usage("%s, line %s: unknown key `%s`%s."),
  CONFIG_UNLISTED_PLUGIN: usage("%s, line %s: `%s` belongs to the plugin %s, which is not listed: %s."),
  CONFIG_UNENFORCED: usage("%s, line %s: no loaded plugin enforces `%s`, but %s would: %s."),
  CONFIG_WRONG_TYPE: usage("%s, line %s: `%s` %s."),
  PEOPLE_TWICE: usage(
    "%s, line %s: `%s` of %s belongs to both [people.%s] and [people.%s]: take it out of one.",
  ),
  CONFIG_CLASH: usage(
    "The plugins %s and %s describe the key `%s` differently: update both to the same release.",
  ),
  WORKSPACE_MISSING: usage("%s is not a folder to work in: name one that is there."),
  WORKSPACE_UNSAFE: usage(
    "%s cannot be the workspace, because it %s: choose another folder with --workspace or security.workspace_path.",
  ),
  PLUGIN_NOT_BUNDLED: usage(
    "The plugin %s stands in without_plugins and none of that name comes with Gantry%s: see `gantry plugins list`, or take it off the list.",
  ),
  PLUGIN_IN_BASE: usage(
    "The plugin %s stands in %s and is loaded without it, since it is one of the base set or has a table in the file: take it off the list.",
  ),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...configErrors });
