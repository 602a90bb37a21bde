import { hash } from "node:crypto";
import type { AuditEvent } from "@gantry/sdk";

/** The hash that the very first record names as that of the one before it. */
export const NOTHING = "0".repeat(64);

/** SHA-256, in hex, of a line without its line break. */
export function hashOf(line: string | Uint8Array): string {
  return hash("sha256", line, "hex");
}

/**
 * One line of the log, without its line break: the seven fields, the trace of a turn, then the
 * chain.
 */
export function lineOf(event: AuditEvent, seq: number, prev: string): string {
  const { timestamp, event_type, tool, args, result, user, session_id, trace } = event;
  const told = { timestamp, event_type, tool, args, result, user, session_id, ...(trace && { trace }) };
  return JSON.stringify({ ...told, seq, prev });
}

/** Returns the place in the chain that a line states; undefined if the line is not a record. */
export function placeOf(
  line: Uint8Array,
): { readonly seq: number; readonly prev: string; readonly day: string } | undefined {
  try {
    const { seq, prev, timestamp } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    if (!Number.isSafeInteger(seq) || typeof prev !== "string" || typeof timestamp !== "string")
      return undefined;
    return { seq, prev, day: timestamp.slice(0, 10) };
  } catch {
    return undefined;
  }
}

/** The complete lines of a piece of a log, and what follows the last line break. */
export function linesOf(bytes: Uint8Array): {
  readonly lines: readonly Uint8Array[];
  readonly rest: Uint8Array;
} {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, rest: bytes.subarray(start) };
}
