import { platformAddress, readSecrets, type ChatRules } from "@gantry/sdk/channel";
import type { SlackConfig } from "./config.ts";
import { errors } from "./errors.ts";

/** The member id of a person. */
export const personForm: RegExp = /^[UW][A-Z0-9]{2,20}$/;

/** Which of the two tokens: the bot's speaks, the app's listens. */
export type TokenKey = "bot_token" | "app_token";

export interface Settings extends ChatRules {
  readonly tokens: Readonly<Record<TokenKey, string>>;
  readonly replyInThread: boolean;
  /** Throws CHANNEL_INSECURE_URL. */
  address(): string;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(
  { channels: { slack: table }, endpoints }: SlackConfig,
  env: NodeJS.ProcessEnv,
): Settings {
  const { bot_token, app_token } = readSecrets({
    channel: "slack",
    table: "channels.slack",
    values: { bot_token: table.bot_token, app_token: table.app_token },
    required: ["bot_token", "app_token"],
    env,
  });
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  return {
    tokens: { bot_token: (bot_token as string).trim(), app_token: (app_token as string).trim() },
    people: { allowed: table.allowed_users, owners: table.owners },
    pairing: table.pairing_enabled,
    groups: table.groups,
    groupIds: table.channel_ids,
    replyInThread: table.reply_in_thread,
    address: () => platformAddress("endpoints.slack_url", endpoints.slack_url, isLoopbackAllowed),
  };
}

const forms: Readonly<Record<TokenKey, RegExp>> = {
  bot_token: /^xoxb-[\w-]{10,}$/,
  app_token: /^xapp-[\w-]{10,}$/,
};
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^xoxb-/, "a bot token (xoxb-)"],
  [/^xapp-/, "an app-level token (xapp-)"],
  [/^xoxp-/, "a user's token (xoxp-)"],
  [/^xox[cds]-/, "a token of a browser's session"],
  [/^xoxe/, "a token for renewing others (xoxe)"],
  [/^https:\/\/hooks\./, "the address of a webhook"],
];

/** True if it has the form of such a token: other secrets are not sent where tokens go. */
export function isToken(key: TokenKey, token: string): boolean {
  return forms[key].test(token);
}

/** Throws SLACK_BAD_BOT_TOKEN, SLACK_BAD_APP_TOKEN and SLACK_TOKENS_SWAPPED, which name the kind and nothing of the token. */
export function checkTokens({ bot_token, app_token }: Settings["tokens"]): void {
  if (isToken("app_token", bot_token) && isToken("bot_token", app_token)) throw errors.SLACK_TOKENS_SWAPPED();
  if (!isToken("bot_token", bot_token)) throw errors.SLACK_BAD_BOT_TOKEN(kindOf(bot_token, "bot_token"));
  if (!isToken("app_token", app_token)) throw errors.SLACK_BAD_APP_TOKEN(kindOf(app_token, "app_token"));
}

function kindOf(token: string, wanted: TokenKey): string {
  const known = kinds.find(([form]) => form.test(token));
  if (known === undefined) return "something else";
  const isCut = token.startsWith(wanted === "bot_token" ? "xoxb-" : "xapp-");
  return isCut ? "cut or mistyped" : known[1];
}
