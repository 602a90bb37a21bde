import {
  Checks,
  ConfigFile,
  definePlugin,
  History,
  Observers,
  optional,
  Providers,
  Store,
} from "@gantry/sdk";
import { StatusParts } from "@gantry/sdk/fill";
import { ProviderTable } from "@gantry/sdk/provider";
import { Type } from "typebox";
import { CompactHistory } from "./compact-history.ts";
import { Gauge } from "./gauge.ts";
import { Windows } from "./windows.ts";

export default definePlugin({
  name: "history-compact",
  summary: "Keeps conversations within the model's window: long results cut, old turns summarised.",
  table: "",
  config: Type.Object({
    memory: Type.Object({
      compact_at_percent: Type.Integer({
        default: 80,
        minimum: 20,
        maximum: 95,
        description:
          "How full the model's window may be, in percent, before what is old in a conversation is made shorter.",
      }),
    }),
    providers: ProviderTable,
  }),
  needs: { models: Providers, configFile: optional(ConfigFile), store: optional(Store) },
  provides: [Checks, History, Observers, StatusParts],
  setup(host) {
    const windows = new Windows(host.needs, host.config.providers);
    const gauge = new Gauge();
    const percent = host.config.memory.compact_at_percent;
    host.provide(History, new CompactHistory(windows, gauge, percent, host.log));
    host.provide(Observers, { name: host.name, modelAnswered: (answer) => gauge.measure(answer) });
    host.provide(StatusParts, {
      name: "context-window",
      order: 20,
      async words({ session, model }) {
        const sent = gauge.sent(session);
        if (sent === undefined) return undefined;
        const { tokens } = await windows.of(model, false, AbortSignal.timeout(1_000));
        const percent = Math.round((100 * gauge.tokens(sent, model.model)) / tokens);
        return `${percent} % of ${Math.round(tokens / 1_000)}k`;
      },
    });
    host.provide(Checks, { name: "context-window", kind: "status", run: () => windows.rows() });
  },
});
