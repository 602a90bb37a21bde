/** Which model a turn wants. Both are undefined when nothing is configured. */
export interface ModelRef {
  /** A provider id, an alias, `custom:<url>` or `messages-custom:<url>`. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
}
