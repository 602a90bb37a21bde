import { definePlugin } from "@gantry/sdk";
import { provider } from "./provider.ts";

export default definePlugin({
  name: "provider-example",
  summary: "Repeats what was said: put your own line here.",
  taps: ["resolveProvider"],
  setup(host) {
    host.hooks.resolveProvider.tap((want) => (want.provider === provider.name ? provider : undefined));
  },
});
