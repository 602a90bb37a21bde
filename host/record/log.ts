import type { Logger } from "@gantry/sdk";
import { after, shortHash } from "@gantry/sdk/node";
import { currentPlugin, currentTrace } from "../plugins/attribution.ts";
import { LogLines, type Level, type Line, type LogWriter } from "./log-lines.ts";
import type { Redaction } from "./redaction.ts";

/**
 * A logger whose every line is redacted but for the `stranger` it names, tells the plugin and the
 * message, names people and conversations by a short hash, and keeps stacks for debugging only.
 */
export function redactedLog(
  write: LogWriter,
  redaction: Redaction,
  debug: boolean,
): { readonly log: Logger; written(): Promise<void> } {
  const lines = new LogLines(write);
  const at =
    (level: Level) =>
    (detail: object, message: string): void => {
      lines.add(() => {
        const plugin = currentPlugin();
        const told = { ...(plugin !== undefined && { plugin }), ...flat(detail, debug) };
        // Ids and hashes of our own making may look like somebody's number.
        const named = { ...currentTrace(), ...namesIn(detail) };
        const line = (clean: object, text: string): Line => [level, { ...clean, ...named }, text];
        const clean = redaction.value(told);
        return after(clean, (said) => after(redaction.text(message), (text) => line(said, text)));
      });
    };
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log: Object.freeze(log), written: () => lines.written() };
}

/** Returns short names for `lane` and `user`, maybe numbers; a `stranger` can be let in by name. */
function namesIn(detail: {
  readonly lane?: unknown;
  readonly user?: unknown;
  readonly stranger?: unknown;
}): object {
  const { lane, user, stranger } = detail;
  return {
    ...(typeof lane === "string" && { conversation: shortHash(lane) }),
    ...(typeof user === "string" && { user: shortHash(user) }),
    ...(typeof stranger === "string" && { stranger }),
  };
}

function flat(detail: object, debug: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([key]) => !["lane", "user", "stranger"].includes(key))
      .map(([key, value]) => [key, value instanceof Error ? flatError(value, debug) : value]),
  );
}

function flatError(error: Error, debug: boolean): Record<string, unknown> {
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(debug && { stack: error.stack }),
  };
}
