import { readFile } from "node:fs/promises";
import type { AuditEvent } from "@gantry/sdk";
import { segmentsOf } from "./segments.ts";
import { peekHead } from "./token.ts";

/** Which records are read: those that have all of this. */
export interface WantedRecords {
  readonly type: string | undefined;
  readonly tool: string | undefined;
  readonly user: string | undefined;
  /** Stands somewhere in the line, in letters of any case. */
  readonly search: string | undefined;
  /** Only records with a smaller number. */
  readonly before: number;
}

type Row = AuditEvent & { readonly seq: number };

/** Lines that one request looks through: a search for what is not there must end. */
const mostLines = 100_000;
const newline = 10;

/**
 * Reads records, newest first; `next` is the number before which the next page begins, absent if
 * nothing is left. Lines that are not records are skipped: the verification names them.
 */
export async function recordsOf(
  log: string,
  wanted: WantedRecords,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly next: number | undefined }> {
  const rows: Row[] = [];
  let left = mostLines;
  for (const { path, from, end } of filesOf(log).toReversed()) {
    if (from >= wanted.before) continue;
    for (const line of linesBackwards(await bytesOf(path, end))) {
      const row = read(line);
      if (!row || row.seq >= wanted.before) continue;
      left -= 1;
      if (fits(row, line, wanted)) rows.push(row);
      if (rows.length === limit || left === 0) return { rows, next: row.seq };
    }
  }
  return { rows, next: undefined };
}

/**
 * Returns the files of the log, the oldest first; of the last only what its head counts is whole.
 */
function filesOf(log: string) {
  const head = peekHead(log);
  const last = { path: log, from: head?.from ?? 0, end: head?.size ?? Infinity };
  return [...segmentsOf(log).map(({ path, from }) => ({ path, from, end: Infinity })), last];
}

async function bytesOf(path: string, end: number): Promise<Buffer> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.subarray(0, Math.min(end, bytes.length));
}

function* linesBackwards(bytes: Buffer): Generator<Buffer> {
  for (let end = bytes.length; end > 0;) {
    const start = bytes.lastIndexOf(newline, end - 2) + 1;
    yield bytes.subarray(start, bytes[end - 1] === newline ? end - 1 : end);
    end = start;
  }
}

function read(line: Buffer): Row | undefined {
  try {
    const { prev: _, ...row } = JSON.parse(line.toString()) as Row & { readonly prev: string };
    return Number.isSafeInteger(row.seq) ? row : undefined;
  } catch {
    return undefined;
  }
}

function fits(row: Row, line: Buffer, { type, tool, user, search }: WantedRecords): boolean {
  if (type !== undefined && row.event_type !== type) return false;
  if (tool !== undefined && row.tool !== tool) return false;
  if (user !== undefined && row.user !== user) return false;
  return search === undefined || line.toString().toLowerCase().includes(search.toLowerCase());
}
