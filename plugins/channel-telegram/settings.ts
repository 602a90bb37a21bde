import { platformAddress, readSecrets, type ChatRules } from "@gantry/sdk/channel";
import type { TelegramConfig } from "./config.ts";

/** The number of a person. */
export const personForm: RegExp = /^[1-9]\d{0,15}$/;

export interface Settings extends ChatRules {
  readonly token: string;
  /** Throws CHANNEL_INSECURE_URL. */
  address(): string;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(
  { channels: { telegram: table }, endpoints }: TelegramConfig,
  env: NodeJS.ProcessEnv,
): Settings {
  const { bot_token } = readSecrets({
    channel: "telegram",
    table: "channels.telegram",
    values: { bot_token: table.bot_token },
    required: ["bot_token"],
    env,
  });
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  return {
    token: (bot_token as string).trim(),
    people: { allowed: table.allowed_user_ids.map(String), owners: table.owners.map(String) },
    pairing: table.pairing_enabled,
    groups: table.groups,
    groupIds: table.group_ids.map(String),
    address: () => platformAddress("endpoints.telegram_url", endpoints.telegram_url, isLoopbackAllowed),
  };
}

/** True if it has the form of a bot token: other secrets of the platform are not sent where tokens go. */
export function isBotToken(token: string): boolean {
  return /^\d{5,16}:[\w-]{30,64}$/.test(token);
}
