import { Commands, ConfigFile, definePlugin, ProviderOffers, Runtime } from "@gantry/sdk";
import { onboardCommand } from "./command.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "command-onboard",
  summary: "onboard: from nothing to a working configuration, by questions or by flags.",
  needs: { configFile: ConfigFile, offers: ProviderOffers, runtime: Runtime },
  provides: [Commands],
  errors,
  setup(host) {
    host.provide(Commands, onboardCommand(host.needs));
  },
});
