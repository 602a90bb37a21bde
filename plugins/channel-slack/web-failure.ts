import { PlatformFailure, type FailureKind } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import type { TokenKey } from "./settings.ts";

/** Returns Slack's word for what failed; empty if Slack said none. */
export function codeOf(error: unknown): string {
  return error instanceof PlatformFailure ? error.code : "";
}

/** https://docs.slack.dev/reference/methods/auth.test, errors: of every method. */
const badTokens = /^(?:invalid_auth|not_authed|token_(?:expired|revoked))$/;
const refusedAccounts = new Set(
  [
    "account_inactive access_denied app_access_denied ekm_access_denied enterprise_is_restricted",
    "forbidden_team no_permission org_login_required team_access_not_granted team_added_to_org",
    "team_disabled two_factor_setup_required user_removed_from_team",
  ].flatMap((line) => line.split(" ")),
);
const badForms = /^(?:invalid_(?:blocks|arguments)|msg_.*too_long$)/;
/** Slack's own trouble, and its words for "later". */
const later = /^(?:fatal_error|internal_error|request_timeout|service_unavailable|team_not_found)$/;
const gone = /(?:_not_found|archived|_disabled)$|^(?:restricted_action|cannot_dm_bot|not_allowed$)/;

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
export function failureOf(refused: Refused): PlatformFailure {
  const { method, token, status, error, needed, channel, afterSeconds } = refused;
  const as = (kind: FailureKind, { message }: Error, afterMs?: number): PlatformFailure =>
    new PlatformFailure(kind, message, afterMs, false, error);
  if (status === 429 || /^rate_?limited$/.test(error)) {
    const sentence = errors.SLACK_RATE(error || "ratelimited", method, afterSeconds);
    return as("rate", sentence, afterSeconds * 1_000);
  }
  if (badTokens.test(error) || status === 401)
    return as("account", errors.SLACK_API_401(error || "401", token));
  if (error === "not_allowed_token_type") return as("account", errors.SLACK_TOKEN_KIND(error, token));
  if (error === "missing_scope") return as("account", errors.SLACK_SCOPE(token, needed || "that it needs"));
  if (error === "link_disabled") return as("account", errors.SLACK_SOCKET_MODE_OFF(error));
  if (refusedAccounts.has(error)) return as("account", errors.SLACK_ACCOUNT(error));
  const sentence = errors.SLACK_API(status, error || "no cause given", method);
  if (status >= 500 || later.test(error)) return as("again", sentence);
  if (badForms.test(error)) return as("form", sentence);
  if (error === "not_in_channel") return as("refused", errors.SLACK_NOT_THERE(error, channel));
  if (gone.test(error)) return as("refused", errors.SLACK_GONE(error, channel || "it"));
  return as("refused", sentence);
}
