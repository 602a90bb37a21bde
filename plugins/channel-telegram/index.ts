import { chatChannel } from "@gantry/sdk/channel";
import { BotApi } from "./bot-api.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { onboarding } from "./onboarding.ts";
import { TelegramPlatform } from "./platform.ts";
import { personForm, settingsFrom } from "./settings.ts";

export default chatChannel({
  name: "telegram",
  title: "Telegram",
  summary: "Telegram: direct chats, groups and topics, by long polling.",
  table: "",
  config,
  errors,
  onboarding,
  allowlist: "channels.telegram.allowed_user_ids",
  personForm,
  settings: settingsFrom,
  open: (settings, host) => new TelegramPlatform(settings, new BotApi(settings, host.upstream), host),
});
