import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import type { Logger } from "@gantry/sdk";
import { afterwards, start, type Head } from "./head.ts";
import { errors } from "./errors.ts";
import { hashOf, linesOf, placeOf } from "./record.ts";
import { segmentsOf } from "./segments.ts";

/**
 * Makes head and file agree after a crash. Whole records beyond the head are taken in; a torn end
 * is moved to `<log>.torn`. A file that was put away while the head still names it is followed to
 * its end first. What is missing stays missing: the chain goes on from the head, so that `audit
 * verify` names the gap.
 */
export function repaired(log: string, head: Head | undefined, warn: Logger["warn"]): Head {
  const size = sizeOf(log);
  if (head && head.size === size) return head;
  if (!head) return rebuilt(log, warn);
  const away = segmentsOf(log).find(({ from }) => from === head.from);
  const last = away && followed(readFileSync(away.path).subarray(head.size), head);
  if (last && last.seq >= head.from) return repaired(log, afterwards(last), warn);
  if (size === undefined || size < head.size) return shrunk(log, head, size, warn);
  const next = followed(readFileSync(log).subarray(head.size), head);
  keepAside(log, next.size, warn);
  return next;
}

function sizeOf(log: string): number | undefined {
  return statSync(log, { throwIfNoEntry: false })?.size;
}

/** Takes in the records that follow the head without a gap. */
function followed(bytes: Uint8Array, from: Head): Head {
  let head = from;
  for (const line of linesOf(bytes).lines) {
    const place = placeOf(line);
    if (place?.seq !== head.seq + 1 || place.prev !== head.hash) break;
    head = {
      ...head,
      seq: place.seq,
      hash: hashOf(line),
      size: head.size + line.length + 1,
      day: head.day || place.day,
    };
  }
  return head;
}

/** Cuts the file at `end`; what stood behind is kept beside it. */
function keepAside(log: string, end: number, warn: Logger["warn"]): void {
  const torn = readFileSync(log).subarray(end);
  if (torn.length === 0) return;
  appendFileSync(`${log}.torn`, Buffer.concat([torn, Buffer.from("\n")]), { mode: 0o600, flush: true });
  truncateSync(log, end);
  warn(
    { log, bytes: torn.length },
    `The audit log ended in a torn record; its ${torn.length} bytes were moved to ${log}.torn.`,
  );
}

function shrunk(log: string, head: Head, size: number | undefined, warn: Logger["warn"]): Head {
  const fresh = afterwards(head);
  if (size === undefined && head.size === 0) return fresh;
  warn(
    { log },
    `Records are missing at the end of the audit log ${log}: \`gantry audit verify\` says which.`,
  );
  if (!size) return fresh;
  const { rest } = linesOf(readFileSync(log));
  keepAside(log, size - rest.length, warn);
  return { ...head, size: size - rest.length };
}

/** The head as the last record of the newest file tells it. */
function rebuilt(log: string, warn: Logger["warn"]): Head {
  const segments = segmentsOf(log);
  const current = ends(log);
  const before = segments.length > 0 ? ends(segments.at(-1)!.path) : undefined;
  const last = current ?? before;
  if (!current && isForeign(log)) throw errors.AUDIT_FILE_FOREIGN(log);
  if (sizeOf(log)) keepAside(log, current?.size ?? 0, warn);
  if (!last) return start;
  warn(
    { log },
    `The head of the audit log ${log} was gone and begins again: records that were removed at either end are not missed any more.`,
  );
  const first = segments[0]?.from ?? last.from;
  return current ? { ...current, first } : { ...afterwards(last), first };
}

/**
 * Returns true if there is a file that was not an audit log before, nor the torn beginning of one.
 */
function isForeign(log: string): boolean {
  const found = statSync(log, { throwIfNoEntry: false });
  if (!found || (found.isFile() && found.size === 0)) return false;
  return !found.isFile() || !readFileSync(log, "utf8").startsWith('{"timestamp":"');
}

/** Returns the end of a file's own chain; undefined if it holds no record. */
function ends(path: string): Head | undefined {
  if (!existsSync(path)) return undefined;
  const { lines } = linesOf(readFileSync(path));
  const first = lines[0] && placeOf(lines[0]);
  if (!first) return undefined;
  let size = 0;
  let last: { seq: number; hash: string; size: number } | undefined;
  for (const line of lines) {
    size += line.length + 1;
    const place = placeOf(line);
    if (place) last = { seq: place.seq, hash: hashOf(line), size };
  }
  return { ...last!, from: first.seq, day: first.day, first: first.seq };
}
