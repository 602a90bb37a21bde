import type { Command } from "@gantry/sdk";
import { chatChannel } from "@gantry/sdk/channel";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { manifest } from "./manifest.ts";
import { onboarding } from "./onboarding.ts";
import { SlackPlatform } from "./platform.ts";
import { personForm, settingsFrom } from "./settings.ts";
import { WebApi } from "./web-api.ts";

const manifestCommand: Command = {
  name: "slack manifest",
  summary: "the manifest from which a Slack app for this service is made",
  async run({ out }) {
    out(JSON.stringify(manifest, null, 2));
    return 0;
  },
};

export default chatChannel({
  name: "slack",
  title: "Slack",
  summary: "Slack: direct messages, channels and threads, by Socket Mode.",
  table: "",
  config,
  errors,
  onboarding,
  allowlist: "channels.slack.allowed_users",
  personForm,
  commands: [manifestCommand],
  settings: settingsFrom,
  open: (settings, host) => new SlackPlatform(settings, new WebApi(settings, host.upstream), host),
});
