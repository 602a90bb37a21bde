import { PlatformFailure, type FailureKind } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import type { TokenKey } from "./settings.ts";

/** A call that failed, with Slack's own word for it. */
export class SlackFailure extends PlatformFailure {
  /** The code as Slack names it: `channel_not_found`. Empty if Slack said nothing. */
  readonly code: string;

  constructor(kind: FailureKind, sentence: string, code: string = "", afterMs?: number) {
    super(kind, sentence, afterMs);
    this.code = code;
  }
}

/** Returns Slack's word for what failed; empty if Slack said none. */
export function codeOf(error: unknown): string {
  return error instanceof SlackFailure ? error.code : "";
}

/** https://docs.slack.dev/reference/methods/auth.test, errors: of every method. */
const badTokens = new Set(["invalid_auth", "not_authed", "token_expired", "token_revoked"]);
const refusedAccounts = new Set([
  "account_inactive",
  "access_denied",
  "app_access_denied",
  "ekm_access_denied",
  "enterprise_is_restricted",
  "forbidden_team",
  "no_permission",
  "org_login_required",
  "team_access_not_granted",
  "team_added_to_org",
  "team_disabled",
  "two_factor_setup_required",
  "user_removed_from_team",
]);
const gone = new Set([
  "channel_not_found",
  "is_archived",
  "channel_is_archived",
  "user_not_found",
  "user_disabled",
  "cannot_dm_bot",
  "messages_tab_disabled",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "restricted_action_thread_locked",
  "restricted_action_non_threadable_channel",
  "thread_not_found",
  "message_not_found",
  "not_allowed",
]);
const badForms = new Set([
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_arguments",
  "msg_blocks_too_long",
  "msg_too_long",
]);
/** Slack's own trouble, and its words for "later". */
const later = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_not_found",
]);

export interface Refused {
  readonly method: string;
  readonly token: TokenKey;
  readonly status: number;
  readonly error: string;
  /** The scope that is missing. */
  readonly needed: string;
  /** The channel that was named in the call. */
  readonly channel: string;
  /** The seconds of the header Retry-After. */
  readonly afterSeconds: number;
}

/** Returns what Slack's refusal means, as a sentence with the cure. */
export function failureOf(refused: Refused): SlackFailure {
  const { method, token, status, error, needed, channel, afterSeconds } = refused;
  const as = (kind: FailureKind, maker: Error): SlackFailure => new SlackFailure(kind, maker.message, error);
  if (status === 429 || /^rate_?limited$/.test(error)) {
    const sentence = errors.SLACK_RATE(error || "ratelimited", method, afterSeconds).message;
    return new SlackFailure("rate", sentence, error, afterSeconds * 1_000);
  }
  if (badTokens.has(error) || status === 401)
    return as("account", errors.SLACK_API_401(error || "401", token));
  if (error === "not_allowed_token_type") return as("account", errors.SLACK_TOKEN_KIND(error, token));
  if (error === "missing_scope") return as("account", errors.SLACK_SCOPE(token, needed || "that it needs"));
  if (error === "link_disabled") return as("account", errors.SLACK_SOCKET_MODE_OFF(error));
  if (refusedAccounts.has(error)) return as("account", errors.SLACK_ACCOUNT(error));
  if (error === "not_in_channel") return as("refused", errors.SLACK_NOT_THERE(error, channel));
  if (gone.has(error)) return as("refused", errors.SLACK_GONE(error, channel || "it"));
  const sentence = errors.SLACK_API(status, error || "no cause given", method);
  if (badForms.has(error)) return as("form", sentence);
  return as(status >= 500 || later.has(error) ? "again" : "refused", sentence);
}
