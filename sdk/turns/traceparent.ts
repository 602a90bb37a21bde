/** The parts of a `traceparent` of W3C Trace Context, in lower-case hex. */
export interface TraceParent {
  /** 32 digits: of all that one request from outside has caused. */
  readonly traceId: string;
  /** 16 digits: of the step that caused this one. */
  readonly spanId: string;
  /** 2 digits: `01` if it is recorded. */
  readonly flags: string;
}

const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` of version 00; undefined for whatever is not exactly one. */
export function readTraceparent(value: unknown): TraceParent | undefined {
  const found = typeof value === "string" ? form.exec(value) : null;
  if (!found) return undefined;
  const [, traceId, spanId, flags] = found as unknown as [string, string, string, string];
  return { traceId, spanId, flags };
}
