import { fstatSync, writeSync } from "node:fs";
import { GantryError, type Logger } from "@gantry/sdk";
import { asError, shortHash } from "@gantry/sdk/node";
import { currentPlugin, currentTrace } from "../plugins/attribution.ts";
import { printable } from "./printable.ts";
import type { Redaction } from "./redaction.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type LogWriter = (level: Level, detail: Readonly<Record<string, unknown>>, message: string) => void;
const levels: readonly Level[] = ["debug", "info", "warn", "error"];

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

/** One readable line on stderr. */
export function terminalWriter(lowest: Level, print: (line: string) => void): LogWriter {
  return (level, detail, message) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    const plugin = typeof detail["plugin"] === "string" ? ` [${detail["plugin"]}]` : "";
    const named = detail["stranger"] ?? detail["user"];
    const user = typeof named === "string" ? ` (${named})` : "";
    const stack = (detail["err"] as { stack?: string } | undefined)?.stack;
    // What a message brings along on further lines is set in, so that it cannot pass for another entry.
    print(
      printable(`${level}${plugin}: ${message}${user}${stack ? `\n${stack}` : ""}`).replaceAll("\n", "\n  "),
    );
  };
}

/** The priorities of syslog, as the journal reads them at the head of a line. */
const priorities: Readonly<Record<Level, number>> = { error: 3, warn: 4, info: 6, debug: 7 };

/** JSON lines on stderr, for what reads logs; with its priority before each where that is the journal of systemd. */
export async function jsonWriter(lowest: Level): Promise<LogWriter> {
  const { pino } = await import("pino");
  const isJournal = writesToJournal(process.env["JOURNAL_STREAM"]);
  let priority = "";
  const out = { write: (line: string) => void writeSync(2, `${priority}${line}`) };
  const log = pino(
    {
      level: lowest,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    isJournal ? out : pino.destination({ fd: 2, sync: true }),
  );
  return (level, detail, message) => {
    try {
      priority = `<${priorities[level]}>`;
      log[level](detail, message);
    } catch (error) {
      process.stderr.write(
        `${JSON.stringify({ level: "error", msg: `A log line could not be written: ${asError(error).message}` })}\n`,
      );
    }
  };
}

/** systemd names the device and the inode that it connected stderr to: a child may have another one. */
function writesToJournal(stream: string | undefined): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(2);
  return stream === `${dev}:${ino}`;
}
