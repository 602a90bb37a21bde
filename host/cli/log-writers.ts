import { fstatSync, writeSync } from "node:fs";
import { type Level, type LogWriter } from "@gantry/host";
import { asError, printable } from "@gantry/sdk/node";

const levels: readonly Level[] = ["debug", "info", "warn", "error"];

/** Returns whether a log whose lowest level this is has lines of `level`. */
export function isWritten(level: Level, lowest: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(lowest);
}

/** Returns a log of readable lines; `print` is handed one without its end. */
export function terminalWriter(lowest: Level, print: (line: string) => void): LogWriter {
  return (level, detail, message) => {
    if (!isWritten(level, lowest)) return;
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
