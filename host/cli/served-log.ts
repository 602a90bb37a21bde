import type { Level, LogWriter } from "@gantry/host";
import { tellLine, type LogLine } from "@gantry/sdk/node";
import { foldedWriter } from "./fold.ts";
import { isWritten, jsonWriter, terminalWriter } from "./log-writers.ts";

/** Returns the log of a service on stderr: lines for a person, JSON for a program. */
export async function servedWriter(lowest: Level): Promise<LogWriter> {
  const isTerminal = process.stderr.isTTY;
  const write = isTerminal ? terminalWriter(lowest, printDated) : await jsonWriter(lowest);
  return foldedWriter((level, detail, message) => {
    write(level, detail, message);
    if (isWritten(level, lowest)) tellLine(() => lineOf(level, detail, message));
  });
}

function lineOf(...[level, { plugin, code }, message]: Parameters<LogWriter>): LogLine {
  return {
    level,
    at: new Date().toISOString(),
    message,
    ...(typeof plugin === "string" && { plugin }),
    ...(typeof code === "string" && { code }),
  };
}

function printDated(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}
