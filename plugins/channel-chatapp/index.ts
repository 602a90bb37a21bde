import { chatChannel } from "@gantry/sdk/channel";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Graph } from "./graph.ts";
import { onboarding } from "./onboarding.ts";
import { ChatappPlatform } from "./platform.ts";
import { settingsFrom } from "./settings.ts";

export default chatChannel({
  name: "chatapp",
  title: "the chat app",
  summary: "The webhook-based chat-app channel.",
  table: "",
  config,
  errors,
  onboarding,
  allowlist: "channels_config.chatapp.allowed_numbers",
  personForm: /^\+[0-9]{1,15}$/,
  webhook: true,
  settings: settingsFrom,
  open: (settings, host) => new ChatappPlatform(settings, new Graph(settings, host.upstream), host),
});
