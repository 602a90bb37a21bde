import { bounds, schemaUrl } from "./conventions.ts";
import type { Measured } from "./measurements.ts";
import type { Attributes, Span, Value } from "./span.ts";

type Json = Readonly<Record<string, unknown>>;

/** Numbers of the enumeration `SpanKind` of OTLP 1.x. */
const kinds = { internal: 1, client: 3, producer: 4, consumer: 5 } as const;
const cumulative = 2;
const failedStatus = 2;

/** Returns the body of a request to `/v1/traces`, in the JSON form of OTLP. */
export function traceRequest(resource: Attributes, version: string, spans: readonly Span[]): string {
  const scopeSpans = [{ scope: scope(version), schemaUrl, spans: spans.map(spanJson) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans }] });
}

/** Returns the body of a request to `/v1/metrics`. Both times are Unix ms. */
export function metricRequest(
  resource: Attributes,
  version: string,
  measured: readonly Measured[],
  times: { readonly since: number; readonly now: number },
): string {
  const metrics = measured.map((one) => metricJson(one, times));
  const scopeMetrics = [{ scope: scope(version), schemaUrl, metrics }];
  return JSON.stringify({
    resourceMetrics: [{ resource: { attributes: attributes(resource) }, scopeMetrics }],
  });
}

function scope(version: string): Json {
  return { name: "gantry", version };
}

function spanJson(span: Span): Json {
  const { traceId, spanId, parentId, name, kind, start, end, failed } = span;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(start, end)),
    attributes: attributes(span.attributes),
    status: failed ? { code: failedStatus } : {},
  };
}

function metricJson(
  { name, unit, description, points }: Measured,
  { since, now }: { readonly since: number; readonly now: number },
): Json {
  const times = { startTimeUnixNano: nanos(since), timeUnixNano: nanos(now) };
  const dataPoints = points.map((point) => {
    const common = { attributes: attributes(point.attributes), ...times };
    if (point.counts === undefined) return { ...common, asInt: String(point.sum) };
    const count = point.counts.reduce((sum, one) => sum + one, 0);
    return {
      ...common,
      count: String(count),
      sum: point.sum,
      bucketCounts: point.counts.map(String),
      explicitBounds: bounds,
    };
  });
  const isHistogram = points[0]?.counts !== undefined;
  const data = { aggregationTemporality: cumulative, dataPoints };
  return {
    name,
    unit,
    description,
    ...(isHistogram ? { histogram: data } : { sum: { ...data, isMonotonic: true } }),
  };
}

function attributes(of: Attributes): readonly Json[] {
  return Object.entries(of)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: Value): Json {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: (value ?? []).map((one) => ({ stringValue: one })) } };
}

/** Returns a time of Unix ms as OTLP writes it: nanoseconds, as a decimal text. */
function nanos(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}
