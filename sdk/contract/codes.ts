import { defineErrors, failed, policy, usage } from "./errors.ts";

/**
 * Codes that the sdk raises, or plugins, or both the host and plugins. A plugin's own stand beside
 * it; the reference lists them all.
 */
export const errors = defineErrors({
  CONFIG_MISSING: usage("Config file not found at %s: run `gantry config init`."),
  CONFIG_UNWRITABLE: usage("%s cannot be written (%s): check the directory, its owner and the free space."),
  PROVIDER_URL: usage(
    "`%s` is not a provider address: write it with http:// or https://, as in https://host/v1.",
  ),
  USAGE: usage("%s: see `gantry %s--help`."),

  PLUGINS_LOCK: failed("%s cannot be read (%s): mend it, or remove it and add the plugins again."),
  PLUGIN_IMPORT_FAILED: usage("The plugin %s could not be loaded: %s"),
  PLUGIN_STUCK: failed(
    "The plugin %s did not come back in %s s (%s): let it neither loop nor wait without an end there.",
  ),
  PLUGIN_QUIT: failed(
    "The plugin %s ended its process (%s, %s): let it throw instead, and leave the process to the host.",
  ),

  NO_PROVIDER: usage(
    "No provider configured: set `default_provider` and a credential, or `agent.provider`.",
    503,
  ),
  PROVIDER_UNKNOWN: usage(
    "No plugin serves the provider `%s`: check `default_provider`, or list the plugin that serves it.",
    503,
  ),
  PROVIDER_NO_KEY: usage("The provider %s has no credential: %s.", 503),
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
    504,
  ),
  PROVIDER_MALFORMED: failed(
    "%s sent an answer that cannot be read (%s): check that the address speaks this format.",
  ),
  PROVIDER_TOO_LARGE: failed("%s sent more than %s bytes in one answer and was cut off."),
  PROVIDER_CANCELLED: failed("The request to %s was cancelled."),
  PROVIDER_EMPTY: failed(
    "%s ended its answer without text, a tool call or a reason: try again, or check the model's name.",
  ),

  MESSAGE_NOBODY: failed(
    'Nobody is known in whose name this would be said: state `auth: "token"` on the route, or make a directMessage() of a door of your own.',
  ),
  TURN_CANCELLED: failed("The turn was cancelled.", 503),
  TOOL_CLIENT_TAKEN: usage("The caller's tool `%s` has the name of one that is here: give it another."),
  READER_TOO_SLOW: failed(
    "The reader of the turn fell too far behind, so the turn was stopped: read faster, or ask for less.",
  ),
  AUDIT_FAILED: policy(
    "The audit record could not be written (%s), so nothing was run: free the disk or fix security.audit.log_path.",
    500,
  ),
  PAIR_CODE_INVALID: policy(
    "The pairing code is wrong, used or too old: make a new one with `gantry pair new`.",
  ),
  PAIR_LOCKED: policy(
    "Too many wrong pairing codes came from this address: try again in %s s, or pair from the service's own terminal with `gantry pair token`.",
    429,
  ),
  PAIR_GUESSED: policy(
    "%s: somebody may be guessing; the code %s, and `gantry pair token` on this machine pairs without one.",
  ),
  SCOPE_MISSING: policy("This needs the scope `%s`, which %s."),
  CHANNEL_BLANK: usage("The variable %s is set but blank: give it a value or unset it."),
  CHANNEL_MISSING: usage("The channel %s lacks %s: set the key in [%s] or the variable."),
  CHANNEL_INSECURE_URL: policy(
    "%s (%s) is not an https:// address, so nothing is sent there: correct it, or for a test on 127.0.0.1 set SERVICE_ALLOW_INSECURE_LOOPBACK=1.",
  ),
  CHANNEL_NOT_ALLOWED: policy("%s is not in %s: add the id there if they may write."),

  PATH_OUTSIDE: policy("Path outside workspace: %s; see security.workspace_path and blocked_paths."),
  FILE_MISSING: failed("%s does not exist."),
  FILE_CHANGED: failed("%s does not hold what it held before, so it was left as it is: read it again."),
  SEARCH_BAD_PATTERN: failed(
    "%s is no regular expression that can be searched for (%s): pass literal to take it as it stands; RE2 knows no look-around and no back references.",
  ),
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
    "The store %s was written by a newer release (layout %s, this one knows %s): " +
      "install that release again%s.",
  ),
  NODE_DRAINED: failed(
    "This node takes no new work: send the request to another one, or start this one again.",
    503,
  ),
  STORE_HELD: failed(
    "The store %s has layout %s, and a running service of an earlier release uses it (process %s): " +
      "restart the service with this release first, or stop it.",
  ),
  LEASE_LOST: failed(
    "The conversation %s was taken over by another process meanwhile, so nothing of this was kept: read what stands there now, and ask again.",
    409,
  ),
  SESSION_BUSY: failed("The conversation %s is busy in another process: wait for its turn to end.", 409),
  ALREADY_RUNNING: failed(
    "A service already runs on %s (process %s): stop it first, or use another SERVICE_CONFIG_DIR.",
  ),
  NO_DESCRIPTORS: failed(
    "The service has no file descriptor left for %s (%s): raise its limit of open files (LimitNOFILE, ulimit -n); it goes on by itself once some are free.",
  ),
  INTERNAL: failed("Something failed that should not: %s Run it again with --debug and report it."),
});
