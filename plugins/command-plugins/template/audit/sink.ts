import { appendFile } from "node:fs/promises";
import type { AuditSink } from "@gantry/sdk";

/** A line of JSON for each record. The promise resolves once the record is kept: nothing runs before. */
export function createSink(file: string): AuditSink {
  return {
    name: "example",
    write: (event) => appendFile(file, `${JSON.stringify(event)}\n`, { mode: 0o600, flush: true }),
  };
}
