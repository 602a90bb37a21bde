import { ConfigFile, definePlugin, ProviderOffers, Providers } from "@gantry/sdk";
import { demo } from "./demo.ts";

export default definePlugin({
  name: "provider-demo",
  summary: "An offline demo model that can call real tools; it answers where no provider is configured.",
  needs: { configFile: ConfigFile, providers: Providers },
  provides: [ProviderOffers],
  taps: ["resolveProvider"],
  setup(host) {
    const { configFile, providers } = host.needs;
    host.onServe(async () => {
      if (configFile.get("agent.provider") ?? configFile.get("default_provider")) return;
      if ((await providers.resolve().catch(() => undefined)) !== demo) return;
      const cure = "run `gantry onboard`";
      host.log.warn({}, `No provider is configured, so the offline demo answers everybody: ${cure}.`);
    });
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
