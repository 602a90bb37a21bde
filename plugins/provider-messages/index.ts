import { definePlugin, ProviderOffers, Upstream } from "@gantry/sdk";
import { providerKeys } from "@gantry/sdk/fill";
import { ApiKey, ProviderTable } from "@gantry/sdk/provider";
import type { Provider } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { createProvider } from "./provider.ts";
import { serverOf } from "./server.ts";

const KEPT = 32;

export default definePlugin({
  name: "provider-messages",
  summary: "Any server that speaks the messages format: messages-custom:<url>.",
  table: "",
  config: Type.Object({
    api_key: ApiKey,
    default_provider: providerKeys.default_provider,
    providers: ProviderTable,
  }),
  needs: { upstream: Upstream },
  provides: [ProviderOffers],
  taps: ["resolveProvider"],
  errors,
  setup(host) {
    host.provide(ProviderOffers, {
      name: "messages-custom",
      title: "Another address that speaks messages",
      list: "beside",
      addressInId: true,
      keyAt: "api_key",
      keyVariable: "SERVICE_API_KEY",
    });
    const made = new Map<string, Provider>();
    host.hooks.resolveProvider.tap(({ provider: id }) => {
      if (id === undefined) return undefined;
      const known = made.get(id);
      if (known) return known;
      const server = serverOf(id, host.config, process.env);
      if (!server) return undefined;
      if (made.size >= KEPT) made.clear();
      const provider = createProvider(host.needs.upstream, server);
      made.set(id, provider);
      return provider;
    });
  },
});
