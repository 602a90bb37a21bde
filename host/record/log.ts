import { GantryError, type Logger } from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import { currentPlugin, currentTrace } from "../plugins/attribution.ts";
import type { Redaction } from "./redaction.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type LogWriter = (level: Level, detail: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * A logger whose every line is redacted but for the `stranger` it names, tells the plugin and the message it belongs to,
 * names people and conversations by a short hash, and keeps stacks for debugging only.
 */
export function redactedLog(write: LogWriter, redaction: Redaction, debug: boolean): Logger {
  const at =
    (level: Level) =>
    (detail: object, message: string): void => {
      try {
        const plugin = currentPlugin();
        const clean = redaction.value({ ...(plugin !== undefined && { plugin }), ...flat(detail, debug) });
        // Ids and hashes of our own making may look like somebody's number.
        const named = { ...currentTrace(), ...namesIn(detail) };
        write(level, { ...clean, ...named }, redaction.text(message));
      } catch (error) {
        write(
          "error",
          { code: (error as GantryError).code },
          "A log line could not be redacted and was left out.",
        );
      }
    };
  return Object.freeze({ debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") });
}

/** Short names for a `lane` and a `user`, who may be somebody's number; a `stranger` is named, so that he can be let in. */
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
