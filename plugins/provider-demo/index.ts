import {
  ConfigFile,
  definePlugin,
  errors,
  ProviderOffers,
  Providers,
  type GantryError,
  type ModelRef,
} from "@gantry/sdk";
import { demo } from "./demo.ts";

export default definePlugin({
  name: "provider-demo",
  summary:
    "An offline demo model that can call real tools; it answers at the terminal while nothing is configured.",
  needs: { configFile: ConfigFile, providers: Providers },
  provides: [ProviderOffers],
  taps: ["resolveProvider"],
  setup(host) {
    const { configFile, providers } = host.needs;
    let isServing = false;
    host.onServe(async () => {
      isServing = true;
      const error = await providers.resolve().then(
        () => undefined,
        (thrown: GantryError) => thrown,
      );
      if (error?.code !== errors.NO_PROVIDER.code) return;
      const { code, message } = errors.NO_PROVIDER();
      host.log.warn({ code }, `Channels and HTTP get no answer. ${message}`);
    });
    host.provide(ProviderOffers, {
      name: demo.name,
      title: "The offline demo",
      hint: "no key, no network: see the tools and guards work",
      list: "beside",
      offline: true,
    });
    /** True at the terminal, while nothing says what else should answer. */
    const standsIn = ({ provider, model }: ModelRef): boolean =>
      !isServing && provider === undefined && model === undefined && configFile.get("api_key") === undefined;
    host.hooks.resolveProvider.tap(
      (want) => (want.provider === demo.name || standsIn(want) ? demo : undefined),
      { order: "late" },
    );
  },
});
