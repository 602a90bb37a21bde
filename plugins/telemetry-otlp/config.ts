import { Type, type Static } from "typebox";

export const config = Type.Object({
  otlp_url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Base address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; OTEL_EXPORTER_OTLP_ENDPOINT wins over it.",
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }), Type.String(), {
      description:
        "Headers of each request to the collector; those of OTEL_EXPORTER_OTLP_HEADERS win over them.",
    }),
  ),
  sample: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description:
      "The share of traces that are sent, chosen by their id, so that every node chooses alike; OTEL_TRACES_SAMPLER_ARG wins over it.",
  }),
  service_name: Type.String({
    default: "gantry",
    minLength: 1,
    description: "The name that the telemetry carries; OTEL_SERVICE_NAME wins over it.",
  }),
});

export type TelemetryConfig = Readonly<Static<typeof config>>;
