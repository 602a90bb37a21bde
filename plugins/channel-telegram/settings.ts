import { platformAddress, readSecrets, type AllowedPeople, type Groups } from "@gantry/sdk/channel";
import type { TelegramConfig } from "./config.ts";

export const allowlistKey = "channels.telegram.allowed_user_ids";

export interface Settings {
  readonly token: string;
  readonly people: AllowedPeople;
  readonly pairing: boolean;
  readonly groups: Groups;
  readonly groupIds: readonly string[];
  /** Throws CHANNEL_INSECURE_URL. */
  address(): string;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(
  { channels: { telegram: table }, endpoints }: TelegramConfig,
  env: NodeJS.ProcessEnv,
  named?: AllowedPeople["named"],
): Settings {
  const { bot_token } = readSecrets({
    channel: "telegram",
    table: "channels.telegram",
    values: { bot_token: table.bot_token },
    required: ["bot_token"],
    env,
  });
  const [allowed, owners] = [table.allowed_user_ids.map(String), table.owners.map(String)];
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  return {
    token: (bot_token as string).trim(),
    people: { allowed, owners, named },
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
