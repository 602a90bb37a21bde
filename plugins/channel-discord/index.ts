import { chatChannel } from "@gantry/sdk/channel";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { onboarding } from "./onboarding.ts";
import { DiscordPlatform } from "./platform.ts";
import { Rest } from "./rest.ts";
import { personForm, settingsFrom } from "./settings.ts";

export default chatChannel({
  name: "discord",
  title: "Discord",
  summary: "Discord: direct chats, server channels and threads, by the gateway.",
  table: "",
  config,
  errors,
  onboarding,
  allowlist: "channels.discord.allowed_user_ids",
  personForm,
  settings: settingsFrom,
  open: (settings, host) => new DiscordPlatform(settings, new Rest(settings, host.upstream), host),
});
