import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  TELEMETRY_NO_URL: usage(
    "Telemetry has no collector: set `telemetry.otlp_url` or OTEL_EXPORTER_OTLP_ENDPOINT, or remove [telemetry].",
  ),
  TELEMETRY_URL: usage("The collector's address %s is not a whole http:// or https:// address: correct it."),
  TELEMETRY_SETTING: usage("The variable %s does not have the form that OpenTelemetry gives it: correct it."),
  TELEMETRY_REFUSED: failed(
    "The collector %s took no telemetry (%s): check its address and headers. What it misses is counted.",
  ),
});
