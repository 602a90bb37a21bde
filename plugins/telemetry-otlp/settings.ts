import { providerAddress } from "@gantry/sdk/provider";
import { shownAddress } from "@gantry/sdk/fill";
import type { TelemetryConfig } from "./config.ts";
import { errors } from "./errors.ts";

type Signal = "traces" | "metrics";

/** The environment's word and the file's, as one. */
export interface Settings {
  /** The collector's address without a secret. */
  readonly shown: string;
  readonly urls: Readonly<Record<Signal, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 to 1. */
  readonly sample: number;
  readonly resource: Readonly<Record<string, string>>;
}

/**
 * Reads the settings of the file and the variables that OpenTelemetry gives names to, which win.
 * Returns undefined if OTEL_SDK_DISABLED is true. Throws TELEMETRY_*.
 */
export function settingsFrom(config: TelemetryConfig, env: NodeJS.ProcessEnv): Settings | undefined {
  const say = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (say("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const base = say("OTEL_EXPORTER_OTLP_ENDPOINT") ?? config.otlp_url;
  const traces = say("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? below(base, "traces");
  const metrics = say("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") ?? below(base, "metrics");
  if (traces === undefined || metrics === undefined) throw errors.TELEMETRY_NO_URL();
  for (const url of [traces, metrics])
    if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) throw errors.TELEMETRY_URL(shownAddress(url));
  const resource = pairs("OTEL_RESOURCE_ATTRIBUTES", say("OTEL_RESOURCE_ATTRIBUTES"));
  const name = say("OTEL_SERVICE_NAME") ?? resource["service.name"] ?? config.service_name;
  return {
    shown: providerAddress(traces).shown.replace(/\/v1\/traces$/, ""),
    urls: { traces, metrics },
    headers: {
      ...config.headers,
      ...pairs("OTEL_EXPORTER_OTLP_HEADERS", say("OTEL_EXPORTER_OTLP_HEADERS")),
    },
    sample: share(say("OTEL_TRACES_SAMPLER_ARG")) ?? config.sample,
    resource: { ...resource, "service.name": name },
  };
}

function below(base: string | undefined, signal: Signal): string | undefined {
  return base && `${base.replace(/\/+$/, "")}/v1/${signal}`;
}

/** Reads `a=1,b=2` with percent signs, as W3C Baggage writes it. */
function pairs(variable: string, text: string = ""): Readonly<Record<string, string>> {
  const entries = text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [, name = "", value = ""] = /^([^=\s]+)\s*=\s*(.*)$/s.exec(one) ?? [];
      if (name === "") throw errors.TELEMETRY_SETTING(variable);
      return [name, decoded(variable, value)] as const;
    });
  return Object.fromEntries(entries);
}

function decoded(variable: string, value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw errors.TELEMETRY_SETTING(variable);
  }
}

function share(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw errors.TELEMETRY_SETTING("OTEL_TRACES_SAMPLER_ARG");
  return value;
}
