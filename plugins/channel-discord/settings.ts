import { platformAddress, readSecrets, type ChatRules } from "@gantry/sdk/channel";
import type { DiscordConfig } from "./config.ts";

/** The id of a person. */
export const personForm: RegExp = /^[0-9]{17,20}$/;

export interface Settings extends ChatRules {
  readonly token: string;
  readonly guildIds: readonly string[];
  /** Throws CHANNEL_INSECURE_URL. */
  address(): string;
  /** An address of a gateway, as the platform names it; throws CHANNEL_INSECURE_URL. */
  gateway(url: string): string;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(
  { channels: { discord: table }, endpoints }: DiscordConfig,
  env: NodeJS.ProcessEnv,
): Settings {
  const { bot_token } = readSecrets({
    channel: "discord",
    table: "channels.discord",
    values: { bot_token: table.bot_token },
    required: ["bot_token"],
    env,
  });
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  const secure = (key: string, url: string): string => platformAddress(key, url, isLoopbackAllowed);
  return {
    token: (bot_token as string).trim(),
    people: { allowed: table.allowed_user_ids, owners: table.owners },
    pairing: table.pairing_enabled,
    groups: table.groups,
    guildIds: table.guild_ids,
    address: () => secure("endpoints.discord_url", endpoints.discord_url),
    gateway: (url) => secure("The platform's gateway", url.replace(/^ws/, "http")).replace(/^http/, "ws"),
  };
}

/** What a text is that is no bot token; undefined for one that has its form. Other secrets are not sent where tokens go. */
export function wrongKindOfToken(token: string): string | undefined {
  if (/^[\w-]{18,40}\.[\w-]{5,10}\.[\w-]{25,80}$/.test(token)) return undefined;
  if (/^Bot\s/i.test(token)) return "leave out the word Bot before it";
  if (/^[0-9]{17,20}$/.test(token)) return "this is an id";
  if (/^[0-9a-f]{64}$/i.test(token)) return "this is the application's public key";
  if (/\/webhooks\//.test(token)) return "this is the address of a webhook";
  if (/^[\w-]{32}$/.test(token)) return "this is the application's client secret";
  return "this has another form";
}
