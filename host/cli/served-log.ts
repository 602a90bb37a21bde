import { foldedWriter, jsonWriter, terminalWriter, type Level, type LogWriter } from "@gantry/host";

/** Returns the log of a service on stderr: readable lines for a person, JSON for what reads logs. */
export async function servedWriter(lowest: Level): Promise<LogWriter> {
  if (!process.stderr.isTTY) return foldedWriter(await jsonWriter(lowest));
  return foldedWriter(terminalWriter(lowest, printDated));
}

function printDated(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}
