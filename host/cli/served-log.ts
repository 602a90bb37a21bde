import type { Level, LogWriter } from "@gantry/host";
import { foldedWriter } from "./fold.ts";
import { jsonWriter, terminalWriter } from "./log-writers.ts";

/** Returns the log of a service on stderr: lines for a person, JSON for a program. */
export async function servedWriter(lowest: Level): Promise<LogWriter> {
  if (!process.stderr.isTTY) return foldedWriter(await jsonWriter(lowest));
  return foldedWriter(terminalWriter(lowest, printDated));
}

function printDated(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}
