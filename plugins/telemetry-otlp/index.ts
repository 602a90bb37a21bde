import { Checks, definePlugin, Meters, Observers, optional, Runtime, Store, Upstream } from "@gantry/sdk";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { settingsFrom } from "./settings.ts";

export default definePlugin({
  name: "telemetry-otlp",
  summary: "Traces and measurements of turns for OpenTelemetry, over OTLP; no word of anybody.",
  table: "telemetry",
  config,
  needs: { meters: optional(Meters), runtime: Runtime, store: optional(Store), upstream: Upstream },
  provides: [Checks, Observers],
  errors,
  async setup(host) {
    const settings = settingsFrom(host.config, process.env);
    if (!settings) return;
    const { meters, runtime, store, upstream } = host.needs;
    const [{ telemetry }, { SentState }] = await Promise.all([
      import("./telemetry.ts"),
      import("./sent-state.ts"),
    ]);
    const state = new SentState(store);
    const { version } = runtime;
    const started = telemetry({ settings, meters, upstream, state, log: host.log, version });
    const run = async () => [await state.row(settings.shown)];
    host.provide(Checks, { name: host.name, kind: "status", run });
    host.provide(Observers, started.observer);
    host.onDispose(() => started.close());
  },
});
