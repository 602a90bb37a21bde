import { definePlugin } from "@gantry/sdk";
import { demo } from "./demo.ts";

export default definePlugin({
  name: "provider-demo",
  summary: "An offline demo model that can call real tools; it answers where no provider is configured.",
  taps: ["resolveProvider"],
  setup(host) {
    host.hooks.resolveProvider.tap(
      (want) => (want.provider === undefined || want.provider === demo.name ? demo : undefined),
      {
        order: "late",
      },
    );
  },
});
