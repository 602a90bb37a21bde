import { channel } from "node:diagnostics_channel";

/** A line of a service's log as it is written: redacted, with people by their hashes. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  /** ISO 8601. */
  readonly at: string;
  readonly message: string;
  readonly plugin?: string;
  readonly code?: string;
}

const feed = channel("gantry:log");

/** Hands a line that is written to those who hear the log; `line` is not called if nobody does. */
export function tellLine(line: () => LogLine): void {
  if (feed.hasSubscribers) feed.publish(line());
}

/** Hands on each line of this process's log from now on, until the returned function is called. */
export function hearLines(hear: (line: LogLine) => void): () => void {
  const listener = (line: unknown): void => hear(line as LogLine);
  feed.subscribe(listener);
  return () => void feed.unsubscribe(listener);
}
