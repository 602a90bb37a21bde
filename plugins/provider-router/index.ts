import { Checks, ConfigFile, definePlugin, optional, Providers, Store } from "@gantry/sdk";
import { ModelRouter } from "@gantry/sdk/fill";
import { ProviderTable } from "@gantry/sdk/provider";
import { Type } from "typebox";
import { Circuits } from "./circuit.ts";
import { errors } from "./errors.ts";
import { createRouter } from "./fallback.ts";
import { readyRows } from "./ready.ts";
import { TagWords } from "./tag-words.ts";

export default definePlugin({
  name: "provider-router",
  summary: "Retries, fallback, circuit breaking, and tools as text for models without native calling.",
  table: "",
  config: Type.Object({
    reliability: Type.Object({
      fallback_providers: Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description:
          "Providers asked in order when the configured one fails: ids, `custom:<url>` or `messages-custom:<url>`.",
      }),
    }),
    providers: ProviderTable,
  }),
  needs: { configFile: ConfigFile, providers: Providers, store: optional(Store) },
  provides: [ModelRouter, Checks],
  errors,
  setup(host) {
    const circuits = new Circuits(host.needs.store, host.log);
    host.provide(ModelRouter, createRouter(host.config, circuits, host.log, new TagWords(host.needs.store)));
    host.provide(Checks, {
      name: "model",
      kind: "ready",
      run: () => readyRows(host.needs, host.config.reliability.fallback_providers, circuits),
    });
    host.provide(Checks, {
      name: "providers-left-alone",
      kind: "status",
      async run() {
        const rows = await circuits.shared();
        return rows.map(({ provider, until, reason }) => ({
          what: `provider ${provider}`,
          state: "warn",
          detail: `left alone until ${until}: ${reason}`,
          cure: "Wait, fix it, or set reliability.fallback_providers.",
        }));
      },
    });
  },
});
