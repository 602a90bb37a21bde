import { defineErrors, failed, policy, usage } from "./errors.ts";

/** Codes of the host and codes that several plugins share. A plugin's own stand beside it; the reference lists them all. */
export const errors = defineErrors({
  CONFIG_MISSING: usage("Config file not found at %s: run `gantry config init`."),
  CONFIG_TOML: usage(
    "Failed to parse config: invalid TOML in %s, line %s, column %s: %s; fix that line or write a new file with `gantry config init`.",
  ),
  CONFIG_UNREADABLE: usage("The configuration file %s cannot be read (%s): check who owns it and its mode."),
  CONFIG_UNSAFE: usage(
    "The configuration is not used, since somebody else may have changed %s (%s): run `%s` and look through what is in it.",
  ),
  CONFIG_UNKNOWN_KEY: usage("%s, line %s: unknown key `%s`%s."),
  CONFIG_UNLISTED_PLUGIN: usage("%s, line %s: `%s` belongs to the plugin %s, which is not listed: %s."),
  CONFIG_WRONG_TYPE: usage("%s, line %s: `%s` %s."),
  CONFIG_MISSING_VARIABLE: usage(
    "%s, line %s: `%s` uses ${%s}, which is not set: set the variable or write the value.",
  ),
  CONFIG_CLASH: usage(
    "The plugins %s and %s describe the key `%s` differently: update both to the same release.",
  ),
  CONFIG_EXISTS: usage("%s is already there and is never overwritten: edit it, or move it away first."),
  CONFIG_NO_KEY: usage("There is no configuration key `%s`%s: `gantry config schema` lists them all."),
  CONFIG_UNWRITABLE: usage("%s cannot be written (%s): check the directory, its owner and the free space."),
  CONFIG_BUSY: failed("%s is being changed by another process (%s): wait for it to end, or end it."),
  CONFIG_LOCKED: failed("%s changed while it was being edited: look at the file and run the command again."),
  WORKSPACE_MISSING: usage("%s is no folder to work in: name one that is there."),
  WORKSPACE_UNSAFE: usage(
    "%s cannot be the workspace, because it %s: choose another folder with --workspace or security.workspace_path.",
  ),
  PROVIDER_PLUGIN_FAILED: failed("The plugin %s failed to open the provider: %s"),
  PROVIDER_URL: usage(
    "`%s` is not a provider address: write it with http:// or https://, as in custom:https://host/v1.",
  ),
  USAGE: usage("%s: see `gantry %s--help`."),
  NODE_TOO_OLD: usage("Gantry needs Node 22.19 or newer and this is %s: install a newer Node."),

  PLUGIN_NOT_FOUND: usage(
    "The plugin %s is named in the configuration but was not found%s: check the name, or install it.",
  ),
  PLUGIN_UNSAFE_PATH: usage("The plugin %s is not loaded from %s: %s."),
  PLUGIN_CHANGED: policy(
    "The plugin %s is not what was accepted (%s): install it again with `gantry plugins add %s`, or take it off the list.",
  ),
  PLUGINS_LOCK: failed("%s cannot be read (%s): mend it, or remove it and add the plugins again."),
  PLUGIN_TWICE: usage("The plugin %s is listed twice: keep one."),
  PLUGIN_OPTIONAL_GUARD: usage(
    "The plugin %s guards (it taps %s), so the service must not start without it: name it in extra_plugins, not in optional_plugins.",
  ),
  PLUGIN_LEFT_OUT: failed("The optional plugin %s is left out: %s"),
  PLUGIN_IMPORT_FAILED: usage("The plugin %s could not be loaded: %s"),
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
  PLUGIN_STUCK: failed(
    "The plugin %s did not come back in %s s (%s): let it neither loop nor wait without an end there.",
  ),
  PLUGIN_QUIT: failed(
    "The plugin %s ended its process (%s, %s): let it throw instead, and leave the process to the host.",
  ),
  SLOT_EMPTY: usage("The plugin %s needs the slot %s and no plugin fills it%s."),
  SLOT_TAKEN: usage("The plugin %s fills %s, which %s already fills: keep one of them."),
  SLOT_UNDECLARED: usage("The plugin %s fills %s without listing it in provides: add it."),
  SLOT_UNFILLED: usage(
    "The plugin %s lists %s in provides and did not fill it in setup: fill it, or take it off the list.",
  ),
  SLOT_BAD_VALUE: usage("The plugin %s fills %s with a value that %s: give it what its slot asks for."),
  SLOT_CYCLE: usage("Plugins need each other in a circle: %s."),

  HOOK_FAILED: policy("The plugin %s failed in %s: %s"),
  HOOK_BAD_ANSWER: policy("The plugin %s answered %s with %s, which is none of refuse(), ask() and nothing."),
  HOOK_TIMEOUT: policy("The plugin %s did not answer %s in %s ms."),

  NO_PROVIDER: usage("No provider configured: set `default_provider` and a credential, or `agent.provider`."),
  PROVIDER_UNKNOWN: usage(
    "No plugin serves the provider `%s`: check `default_provider`, or list the plugin that serves it.",
  ),
  PROVIDER_TABLE_UNKNOWN: usage(
    "`[providers.%s]` is for no provider that is loaded%s: write it as default_provider is written, or remove it.",
  ),
  PROVIDER_NO_KEY: usage("The provider %s has no credential: %s."),
  PROVIDER_AUTH: failed(
    "%s answered HTTP 401: the credential is missing or wrong; check the key, the address (http:// or https://) and the network%s.",
  ),
  PROVIDER_FORBIDDEN: failed(
    "%s answered HTTP 403: the credential has no right to this; check the account, its region and the model's terms%s.",
  ),
  PROVIDER_MODEL_UNKNOWN: failed(
    "%s answered HTTP 404 model not found for `%s` (%s): compare the name with `gantry models refresh`, and check that the address has its path, such as /v1.",
  ),
  PROVIDER_RATE_LIMIT: failed(
    "%s answered HTTP 429: too many requests; wait%s, raise retry_backoff_ms, or set reliability.fallback_providers%s.",
  ),
  PROVIDER_REQUEST: failed("%s did not accept the request (HTTP %s): %s"),
  PROVIDER_OVERFLOW: failed(
    "The conversation is longer than the model of %s can take in (HTTP %s): %s; begin a new one, or choose a model with a larger window.",
  ),
  PROVIDER_SERVER: failed(
    "%s failed with HTTP %s: try again later, or set reliability.fallback_providers%s.",
  ),
  PROVIDER_REFUSED: failed(
    "%s cannot be reached (%s): check the address, that the server runs, and the proxy (HTTPS_PROXY).",
  ),
  PROVIDER_TIMEOUT: failed(
    "%s did not answer in %s s: check the network and the proxy (HTTPS_PROXY), or raise timeout_seconds.",
  ),
  PROVIDER_MALFORMED: failed(
    "%s sent an answer that cannot be read (%s): check that the address speaks this format.",
  ),
  PROVIDER_TOO_LARGE: failed("%s sent more than %s bytes in one answer and was cut off."),
  PROVIDER_CANCELLED: failed("The request to %s was cancelled."),
  PROVIDER_EMPTY: failed(
    "%s ended its answer without text, a tool call or a reason: try again, or check the model's name.",
  ),

  BUDGET_FAILED: policy(
    "The budget could not be looked up (%s), so the model was not asked: mend the store.",
  ),
  CONTEXT_FULL: failed(
    "The conversation is longer than the model takes (%s); it goes on with what fits: say again what matters, or start anew with /new.",
  ),
  TURN_CANCELLED: failed("The turn was cancelled."),
  TURN_TOO_LONG: failed(
    "The model asked for tools %s times in one turn and was stopped: raise agent.max_tool_iterations if that is intended.",
  ),
  TOOL_CLIENT_TAKEN: usage("The caller's tool `%s` has the name of one that is here: give it another."),
  READER_TOO_SLOW: failed(
    "The reader of the turn fell too far behind, so the turn was stopped: read faster, or ask for less.",
  ),
  TOOL_UNKNOWN: failed("There is no tool `%s`; the tools are: %s."),
  TOOL_BAD_ARGS: failed("The arguments for %s are wrong: %s"),
  TOOL_FAILED: failed("The tool %s failed: %s"),
  TOOL_TIMEOUT: failed("The tool %s did not finish in %s s and was stopped."),
  TOOL_TOO_DEEP: policy(
    "The tool %s was called from tools nested %s deep: tools must not call each other without end.",
  ),
  RESULT_WITHHELD: policy("What %s answered is withheld, since the plugin %s could not look through it: %s"),
  TOOL_NOT_OFFERED: policy(
    "The tool %s is not offered here, so it is not run: it is switched off, or what it works with is missing, or this turn goes without it.",
  ),
  ALLOW_BAD_RULE: usage(
    "security.allow holds `%s`, which is no rule: write a tool's name, or `tool: what it may do`, as in `shell: git status`.",
  ),
  AUTONOMOUS_REFUSED: policy(
    "%s As agent.autonomy_level is autonomous, nobody is asked and it is refused: allow it by name in security.allow.",
  ),
  APPROVAL_UNDELIVERED: policy("The question about %s could not be put to anybody (%s), which is a no."),
  APPROVAL_NO_PERSON: policy(
    "%s needs a person's approval and nobody is here to ask: run it in a terminal, or pass --yes.",
  ),
  APPROVAL_DENIED: policy("%s was not approved by the person who was asked."),
  APPROVAL_EXPIRED: policy("Nobody answered the question about %s in %s s, which is a no."),
  APPROVAL_CHANGED: policy(
    "%s changed while it waited for approval (%s), so the approval does not count: ask again.",
  ),
  AUDIT_FAILED: policy(
    "The audit record could not be written (%s), so nothing was run: free the disk or fix security.audit.log_path.",
  ),
  REDACTION_FAILED: policy("The plugin %s failed to redact the text (%s), so it was not sent."),
  PAIR_CODE_INVALID: policy(
    "The pairing code is wrong, used or too old: make a new one with `gantry pair new`.",
  ),
  PAIR_LOCKED: policy(
    "Too many wrong pairing codes came from this address: try again in %s s, or pair from the service's own terminal with `gantry pair token`.",
  ),
  PAIR_GUESSED: policy(
    "%s: somebody may be guessing; the code %s, and `gantry pair token` on this machine pairs without one.",
  ),
  CHANNEL_BLANK: usage("The variable %s is set but blank: give it a value or unset it."),
  CHANNEL_MISSING: usage("The channel %s lacks %s: set the key in [%s] or the variable."),
  CHANNEL_INSECURE_URL: policy("%s (%s) is not an https:// address, so nothing is sent there: correct it."),
  CHANNEL_NOT_ALLOWED: policy("%s is not in %s: add the id there if they may write."),
  INBOUND_REFUSED: policy("The message was refused: %s"),

  PATH_OUTSIDE: policy("Path outside workspace: %s; see security.workspace_path and blocked_paths."),
  FILE_MISSING: failed("%s does not exist."),
  FILE_CHANGED: failed("%s does not hold what it held before, so it was left as it is: read it again."),
  FILE_FAILED: failed("%s could not be %s: %s."),
  RUN_FAILED: failed("The program %s could not be started: %s."),
  NET_BLOCKED: policy("The address %s is not allowed: %s."),
  NET_REFUSED: failed("%s cannot be reached: %s."),
  NET_TIMEOUT: failed("%s did not answer in %s s."),
  NET_TOO_LARGE: failed("%s sent more than %s bytes."),
  NET_BAD_URL: failed("`%s` is not an http:// or https:// address."),
  NET_CANCELLED: failed("The request to %s was cancelled."),
  MEDIA_TOO_LARGE: failed("%s has %s bytes and at most %s can be taken: send a smaller one."),
  MEDIA_TOO_MUCH: failed(
    "%s has sent more than %s bytes of files within an hour: wait, or send smaller ones.",
  ),
  STORE_FAILED: failed("The store %s failed: %s: check the free space and the owner of the file."),
  STORE_REFUSED: failed("The store %s cannot keep what it was given (%s): report it, and what gave it."),
  STORE_NEWER: usage(
    "The store %s was written by a newer release (layout %s, this one knows %s): install that release again.",
  ),
  SESSION_BUSY: failed("The conversation %s is busy in another process: wait for its turn to end."),
  SESSION_RUNNING: failed("A turn of the conversation runs: wait for its end, or end it with /stop."),
  SESSION_FOREIGN: policy(
    "The conversation %s belongs to somebody else: leave its id out to start one, or have its owner share it with you.",
  ),
  NOT_RUNNING: failed("No service runs on %s: start it with `gantry daemon` or `gantry service start`."),
  RELOAD_FAILED: failed("The configuration in force stays: %s"),
  STATE_UNWRITABLE: failed(
    "The service keeps nothing in %s (%s): free the disk, or make it writable for this user, and start again.",
  ),
  ALREADY_RUNNING: failed(
    "A service already runs on %s (process %s): stop it first, or use another SERVICE_CONFIG_DIR.",
  ),
  NO_DESCRIPTORS: failed(
    "The service has no file descriptor left for %s (%s): raise its limit of open files (LimitNOFILE, ulimit -n); it goes on by itself once some are free.",
  ),
  INTERNAL: failed("Something failed that should not: %s Run it again with --debug and report it."),
});
