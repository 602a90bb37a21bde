import { definePlugin, Meters, Observers, optional, Runtime, Upstream } from "@gantry/sdk";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { settingsFrom } from "./settings.ts";

export default definePlugin({
  name: "telemetry-otlp",
  summary: "Traces and measurements of turns for OpenTelemetry, over OTLP; no word of anybody.",
  table: "telemetry",
  config,
  needs: { meters: optional(Meters), runtime: Runtime, upstream: Upstream },
  provides: [Observers],
  errors,
  async setup(host) {
    const settings = settingsFrom(host.config, process.env);
    if (!settings) return;
    const { meters, runtime, upstream } = host.needs;
    const { telemetry } = await import("./telemetry.ts");
    const started = telemetry({ settings, meters, upstream, log: host.log, version: runtime.version });
    host.provide(Observers, started.observer);
    host.onDispose(() => started.close());
  },
});
