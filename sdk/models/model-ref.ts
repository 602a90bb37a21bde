/** Which model a turn wants. Both are undefined when nothing is configured. */
export interface ModelRef {
  /** A provider id or an alias; for some an address stands behind it and a colon. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
}
