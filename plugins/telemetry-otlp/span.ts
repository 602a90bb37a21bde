/** A value of an attribute; undefined leaves the attribute out. */
export type Value = string | number | boolean | readonly string[] | undefined;
export type Attributes = Readonly<Record<string, Value>>;

/** One step of a trace. */
export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client" | "consumer" | "producer";
  /** Unix ms. */
  readonly start: number;
  /** Unix ms. */
  readonly end: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}
