import { chatChannel } from "@gantry/sdk/channel";
import { MatrixApi } from "./api.ts";
import { MatrixPlatform } from "./platform.ts";
import { config, settingsFrom } from "./settings.ts";

export default chatChannel({
  name: "matrix",
  title: "Matrix",
  summary: "Rooms of a Matrix homeserver, unencrypted, by long polling.",
  config,
  allowlist: "plugins_config.channel-matrix.allowed_users",
  personForm: /^@[^\s:]+:\S+$/,
  settings: settingsFrom,
  open: (settings, host) => new MatrixPlatform(settings, new MatrixApi(settings, host.upstream), host),
});
