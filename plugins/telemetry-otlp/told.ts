import type { Measurements } from "./measurements.ts";
import type { Span } from "./span.ts";

/** Whoever is told of spans and measurements. */
export interface Told {
  readonly measurements: Measurements;
  /** Takes a span of a trace that is sampled. */
  span(span: Span): void;
  /** Tells that something was measured. */
  measured(): void;
  /** Returns true for a trace that is sent. */
  isSampled(traceId: string, flags: string): boolean;
}

/** Returns the channel of `<channel>:<id>`, as a lane or a user is named. */
export function channelOf(name: string): string {
  return name.split(":", 1)[0] ?? "";
}
