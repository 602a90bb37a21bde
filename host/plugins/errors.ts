import { defineErrors, errors as shared, failed, policy, usage } from "@gantry/sdk";

/** The codes of plugins, slots and hooks. */
export const pluginErrors = defineErrors({
  AUTONOMY_UNENFORCED: policy("No tool runs, because no loaded plugin enforces agent.autonomy_level: %s."),
  PROVIDER_PLUGIN_FAILED: failed("The plugin %s failed to open the provider: %s"),
  PLUGIN_NOT_FOUND: usage("The plugin %s was not found%s: check the name, or install it."),
  PLUGIN_UNSAFE_PATH: usage("The plugin %s is not loaded from %s: %s."),
  PLUGIN_CHANGED: policy(
    "The plugin %s is not what was accepted (%s): %s, or take it off its list in config.toml.",
  ),
  PLUGIN_TWICE: usage("The plugin %s is listed twice: keep one."),
  PLUGIN_OPTIONAL_GUARD: usage(
    "The plugin %s guards (it %s), so the service must not start without it: name it in extra_plugins, not in optional_plugins.",
  ),
  PLUGIN_LEFT_OUT: failed("The plugin %s is left out, as optional_plugins allows: %s"),
  PLUGIN_NOT_A_PLUGIN: usage("The plugin %s has no default export made by definePlugin(): add one."),
  PLUGIN_BAD_FACTS: usage("The plugin %s states its facts wrongly: %s."),
  PLUGIN_SDK_MISMATCH: usage("The plugin %s was written for sdk level %s and this host speaks level %s: %s."),
  PLUGIN_SDK_EXPORT: usage(
    "The plugin %s imports %s, which the sdk of this host (level %s) does not have: it was written for another release of the sdk; install a newer Gantry, or the release of the plugin that fits.",
  ),
  PLUGIN_SDK_MOVED: usage(
    "The plugin %s imports %s from %s, and that name stands in %s: import it from there, " +
      "or state `sdk: %s` if the plugin is of that level.",
  ),
  PLUGIN_SETUP_FAILED: usage("The plugin %s failed in setup: %s"),
  PLUGIN_READY_FAILED: failed("The plugin %s failed to get ready: %s"),
  PLUGIN_TIMEOUT: failed("The plugin %s did not finish %s in %s ms: it must not wait there."),
  PLUGIN_CLOSED: failed(
    "The plugin %s used its host after it was disposed: stop what it started in onDispose or by host.signal.",
  ),
  PLUGIN_UNDECLARED_TAP: usage("The plugin %s taps %s without listing it in taps: add it."),
  PLUGIN_FAILED_LATER: failed("The plugin %s failed while running: %s"),
  SLOT_EMPTY: usage("The plugin %s needs the slot %s and no plugin fills it%s."),
  SLOT_TAKEN: usage("The plugin %s fills %s, which %s already fills: keep one of them%s."),
  SLOT_UNDECLARED: usage("The plugin %s fills %s without listing it in provides: add it."),
  SLOT_UNFILLED: usage(
    "The plugin %s lists %s in provides and did not fill it in setup: fill it, or take it off the list.",
  ),
  SLOT_BAD_VALUE: usage("The plugin %s fills %s with a value that %s: give it what its slot asks for."),
  SLOT_CYCLE: usage("Plugins need each other in a circle: %s."),
  HOOK_FAILED: policy("The plugin %s failed in %s: %s"),
  HOOK_BAD_ANSWER: policy("The plugin %s answered %s with %s, which is none of refuse(), ask() and nothing."),
  HOOK_TIMEOUT: policy("The plugin %s did not answer %s in %s ms."),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...pluginErrors });
