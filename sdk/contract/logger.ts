/** Structured logging; details and message are redacted before they are written. */
export interface Logger {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}
