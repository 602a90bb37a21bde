import { definePlugin, ProviderOffers } from "@gantry/sdk";
import { demo } from "./demo.ts";

export default definePlugin({
  name: "provider-demo",
  summary: "An offline demo model that can call real tools; it answers where no provider is configured.",
  provides: [ProviderOffers],
  taps: ["resolveProvider"],
  setup(host) {
    host.provide(ProviderOffers, {
      name: demo.name,
      title: "The offline demo",
      hint: "no key, no network: see the tools and guards work",
      list: "beside",
      offline: true,
    });
    host.hooks.resolveProvider.tap(
      (want) => (want.provider === undefined || want.provider === demo.name ? demo : undefined),
      {
        order: "late",
      },
    );
  },
});
