import { defineErrors, errors as shared, failed, policy, usage } from "@gantry/sdk";

/** Codes that only the host raises. */
export const hostErrors = defineErrors({
  CONFIG_TOML: usage(
    "Failed to parse config: invalid TOML in %s, line %s, column %s: %s; fix that line, or move the file away and run `gantry config init`.",
  ),
  CONFIG_UNREADABLE: usage("The configuration file %s cannot be read (%s): check who owns it and its mode."),
  CONFIG_UNSAFE: usage(
    "The configuration is not used, since somebody else may have changed %s (%s): run `%s` and look through what is in it.",
  ),
  CONFIG_UNKNOWN_KEY: usage("%s, line %s: unknown key `%s`%s."),
  CONFIG_UNLISTED_PLUGIN: usage("%s, line %s: `%s` belongs to the plugin %s, which is not listed: %s."),
  CONFIG_UNENFORCED: usage("%s, line %s: no loaded plugin enforces `%s`, but %s would: %s."),
  CONFIG_RETIRED_KEY: usage("%s, line %s: `%s` is retired and the next minor release refuses it: %s."),
  CONFIG_WRONG_TYPE: usage("%s, line %s: `%s` %s."),
  PEOPLE_TWICE: usage(
    "%s, line %s: `%s` of %s belongs to both [people.%s] and [people.%s]: take it out of one.",
  ),
  CONFIG_MISSING_VARIABLE: usage(
    "%s, line %s: `%s` uses ${%s}, which is not set: set the variable or write the value.",
  ),
  CONFIG_CLASH: usage(
    "The plugins %s and %s describe the key `%s` differently: update both to the same release.",
  ),
  CONFIG_NO_KEY: usage("There is no configuration key `%s`%s: `gantry config schema` lists them all."),
  CONFIG_BUSY: failed("%s is being changed by another process (%s): wait for it to end, or end it."),
  CONFIG_LOCKED: failed("%s changed while it was being edited: look at the file and run the command again."),
  WORKSPACE_MISSING: usage("%s is no folder to work in: name one that is there."),
  WORKSPACE_UNSAFE: usage(
    "%s cannot be the workspace, because it %s: choose another folder with --workspace or security.workspace_path.",
  ),
  PROVIDER_PLUGIN_FAILED: failed("The plugin %s failed to open the provider: %s"),

  PLUGIN_NOT_FOUND: usage(
    "The plugin %s is named in the configuration but was not found%s: check the name, or install it.",
  ),
  PLUGIN_UNSAFE_PATH: usage("The plugin %s is not loaded from %s: %s."),
  PLUGIN_CHANGED: policy(
    "The plugin %s is not what was accepted (%s): install it again with `gantry plugins add %s`, or take it off the list.",
  ),
  PLUGIN_NOT_BUNDLED: usage(
    "The plugin %s stands in without_plugins and none of that name comes with Gantry%s: see `gantry plugins list`, or take it off the list.",
  ),
  PLUGIN_TWICE: usage("The plugin %s is listed twice: keep one."),
  PLUGIN_IN_BASE: usage(
    "The plugin %s stands in %s and is loaded without it, since it is one of the base set or has a table in the file: take it off the list.",
  ),
  PLUGIN_OPTIONAL_GUARD: usage(
    "The plugin %s guards (it %s), so the service must not start without it: name it in extra_plugins, not in optional_plugins.",
  ),
  PLUGIN_LEFT_OUT: failed("The plugin %s is left out, and all else goes on: %s"),
  PLUGIN_NOT_A_PLUGIN: usage("The plugin %s has no default export made by definePlugin(): add one."),
  PLUGIN_BAD_FACTS: usage("The plugin %s states its facts wrongly: %s."),
  PLUGIN_SDK_MISMATCH: usage("The plugin %s was written for sdk level %s and this host speaks level %s: %s."),
  PLUGIN_SDK_EXPORT: usage(
    "The plugin %s imports %s, which the sdk of this host (level %s) does not have: it was written for another release of the sdk; install a newer Gantry, or the release of the plugin that fits.",
  ),
  PLUGIN_SETUP_FAILED: usage("The plugin %s failed in setup: %s"),
  PLUGIN_READY_FAILED: failed("The plugin %s failed to get ready: %s"),
  PLUGIN_TIMEOUT: failed("The plugin %s did not finish %s in %s ms: it must not wait there."),
  PLUGIN_CLOSED: failed(
    "The plugin %s used its host after it was disposed: stop what it started in onDispose or by host.signal.",
  ),
  PLUGIN_UNDECLARED_TAP: usage("The plugin %s taps %s without listing it in taps: add it."),
  PLUGIN_FAILED_LATER: failed("The plugin %s failed while running: %s"),
  OUTBOX_NO_CHANNEL: failed(
    "The message %s cannot be sent, since no channel %s is loaded: name one that is, see `gantry plugins list`.",
  ),
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

  PROVIDER_TABLE_UNKNOWN: usage(
    "%s, line %s: `[providers.%s]` is for no provider that is loaded%s: write it as default_provider is written, or remove it.",
  ),

  BUDGET_FAILED: policy(
    "The budget could not be looked up (%s), so the model was not asked: mend the store.",
  ),
  CONTEXT_FULL: failed(
    "The conversation is longer than the model takes (%s); it goes on with what fits: say again what matters, or start anew with /new.",
  ),
  TURN_TOO_LONG: failed(
    "The model asked for tools %s times in one turn and was stopped: raise agent.max_tool_iterations if that is intended.",
  ),
  TURN_BUDGET_SPENT: policy(
    "The turn has used the %s tokens that it was given and was stopped: give it more, or a smaller task.",
  ),
  TURN_TOO_DEEP: policy(
    "A turn was asked for inside %s others, which is as deep as it goes: do the task in the turn that is there.",
  ),
  PROMPT_BAD_OPTION: failed("The option `%s` of a prompt is %s: give it %s."),
  TOOL_UNKNOWN: failed("There is no tool `%s`; the tools are: %s."),
  TOOL_BAD_ARGS: failed("The arguments for %s are wrong: %s"),
  TOOL_FAILED: failed("The tool %s failed: %s"),
  TOOL_TIMEOUT: failed("The tool %s did not finish in %s s and was stopped."),
  TOOL_BAD_EFFECTS: failed(
    'The tool %s states effects %s, so no guard could judge them: give { paths, commands, urls, recipients, brings, target } or "unknown".',
  ),
  TOOL_SOURCE_FAILED: failed("The tools of %s are not there for now: %s"),
  TOOL_SOURCE_TOOL: failed("The tool source %s lists the tool `%s`, which is left out: it %s."),
  TOOL_TOO_DEEP: policy(
    "The tool %s was called from tools nested %s deep: tools must not call each other without end.",
  ),
  RESULT_WITHHELD: policy("What %s answered is withheld, since the plugin %s could not look through it: %s"),
  AUTONOMY_UNENFORCED: policy("No tool runs, because no loaded plugin enforces agent.autonomy_level: %s."),
  TOOL_NOT_OFFERED: policy(
    "The tool %s is not offered here, so it is not run: it is switched off, or what it works with is missing, or this turn goes without it.",
  ),
  ALLOW_BAD_RULE: usage(
    "security.allow holds `%s`, which is no rule: write a tool's name, or `tool: what it may do`, as in `shell: git status`.",
  ),
  ALLOW_BAD_PIPE: usage(
    "security.allow holds `%s`, which has a pipe within it: write a rule for each command, with `|` before one that is fed by another, as in `shell: | head *`.",
  ),
  ALLOW_BAD_URL: usage(
    "security.allow holds `%s`, whose address names no one host or domain: write `https://example.com/*`, or `https://*.example.com/*` for all below it.",
  ),
  ALLOW_IDLE: usage(
    "security.allow holds `%s`, which covers no command: write the exact command line of a program " +
      "that starts others, and the name of an option without a wildcard.",
  ),
  AUTONOMOUS_REFUSED: policy(
    "%s As agent.autonomy_level is autonomous, nobody is asked and it is refused: allow it by name in security.allow, as %s.",
  ),
  APPROVAL_UNDELIVERED: policy("The question about %s could not be put to anybody (%s), which is a no."),
  APPROVAL_NO_PERSON: policy("%s needs a person's approval and nobody is here to ask: %s. %s"),
  APPROVAL_DENIED: policy("%s was not approved by the person who was asked."),
  APPROVAL_EXPIRED: policy("Nobody answered the question about %s in %s s, which is a no."),
  APPROVAL_CHANGED: policy(
    "%s changed while it waited for approval (%s), so the approval does not count: ask again.",
  ),
  REDACTION_FAILED: policy("The plugin %s failed to redact the text (%s), so it was not sent."),
  INBOUND_REFUSED: policy("The message was refused: %s"),

  SESSION_RUNNING: failed("A turn of the conversation runs: wait for its end, or end it with /stop."),
  SESSION_FOREIGN: policy(
    "The conversation %s belongs to somebody else: leave its id out to start one, or have its owner share it with you.",
  ),
  MESSAGES_UNWORKED: failed(
    "Messages of channels are kept and not answered, since no plugin fills the slot %s%s.",
  ),
  STATE_UNWRITABLE: failed(
    "The service keeps nothing in %s (%s): free the disk, or make it writable for this user, and start again.",
  ),
});

/** All that the host raises: its own codes, and those that it shares with plugins. */
export const errors = Object.freeze({ ...shared, ...hostErrors });
