import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  ISOLATED_FACTS: usage(
    "The plugin %s cannot run isolated, as %s: state its facts under `gantry` in its package.json, which `gantry plugins check` compares with its code, or take it off isolated_plugins.",
  ),
  ISOLATED_REFUSED: usage("The plugin %s cannot run isolated, as %s: take it off isolated_plugins."),
  ISOLATED_SLOT: usage(
    "The plugin %s cannot run isolated, as it %s %s, which does not pass between processes: take it off isolated_plugins.",
  ),
  ISOLATED_MEMBER: usage(
    "The plugin %s cannot run isolated, as %s of what it gives %s must answer at once: take it off isolated_plugins.",
  ),
  ISOLATED_EMPTY: usage(
    "The plugin %s needs the slot %s and no plugin fills it: list one that does, see `gantry plugins list`.",
  ),
  ISOLATED_ARGUMENTS: failed(
    "The plugin %s asked %s with an argument that it does not take, number %s: hand it what its slot says.",
  ),
  ISOLATED_ENDED: failed(
    "The process of the plugin %s has ended (%s): it is started again; see `gantry status`.",
  ),
  ISOLATED_FAILED: failed("The plugin failed in its process: %s"),
});
