import { readFile } from "node:fs/promises";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { Acknowledged, type Acknowledgement, type Gap } from "./acknowledged.ts";
import { unanchored, type Anchor } from "./anchor.ts";
import type { Head } from "./head.ts";
import { hashOf, linesOf, NOTHING, placeOf } from "./record.ts";
import { segmentsOf } from "./segments.ts";
import { headFile, peekHead } from "./token.ts";

/** Lines that are read without letting anything else run. */
const linesAtOnce = 1_000;

/** The first line that is not as it was written. */
export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
  /** Present if missing records are all that is wrong. */
  readonly gap?: Gap;
  /** True if the log does not hold the record that the store has noted. */
  readonly isUnanchored?: boolean;
}

export interface Verdict {
  readonly records: number;
  readonly files: number;
  /**
   * Numbers of the oldest and of the newest record that were read, up to the problem; 0 where there
   * is none.
   */
  readonly first: number;
  readonly last: number;
  /** The gaps that the owner knows of. */
  readonly acknowledged: readonly Acknowledgement[];
  readonly problem?: Problem;
}

interface Line {
  readonly file: string;
  readonly line: number;
  readonly hash: string;
  readonly place: ReturnType<typeof placeOf>;
}

/**
 * Reads the whole log, oldest file first. Each record holds the hash of the one before it; the
 * head, kept beside the log, holds the hash of the last and the numbers of both ends. A gap that a
 * later record acknowledges is not a problem. `anchor` was noted before.
 */
export async function verify(log: string, anchor?: Anchor): Promise<Verdict> {
  const head = peekHead(log);
  const files = [...segmentsOf(log).map(({ path }) => path), log];
  const gaps = new Acknowledged(files);
  let read = nothingRead(anchor);
  let found = await firstProblem(files, log, head, read, gaps);
  // An acknowledgement stands behind its gap, so it is searched for only if there is a gap.
  if (found?.gap && (await gaps.load())) {
    read = nothingRead(anchor);
    found = await firstProblem(files, log, head, read, gaps);
  }
  // A file that was put away while it was being read looks like a gap.
  if (found && peekHead(log)?.from !== head?.from) return verify(log, anchor);
  // A head that changed hands while it was looked for is there again soon.
  if (!head && read.records > 0 && (await soon(() => peekHead(log)))) return verify(log, anchor);
  const { records: count, files: total, first, last, acknowledged } = read;
  const missed = anchor && unanchored(log, read, head, anchor);
  const problem = found ?? (head || read.records === 0 ? missed : noHead(log));
  return { records: count, files: total, first, last, acknowledged, ...(problem && { problem }) };
}

interface Read {
  records: number;
  files: number;
  first: number;
  last: number;
  readonly acknowledged: Acknowledgement[];
  readonly anchorSeq: number | undefined;
  anchored: string | undefined;
}

function nothingRead(anchor: Anchor | undefined): Read {
  const anchorSeq = anchor?.seq;
  return { records: 0, files: 0, first: 0, last: 0, acknowledged: [], anchorSeq, anchored: undefined };
}

function noHead(log: string): Problem {
  return {
    file: headFile(log),
    line: 1,
    what: "it says no more where the log begins and ends, so records may have been removed there",
  };
}

async function soon(look: () => unknown): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (look()) return true;
    await sleep(5);
  }
  return false;
}

async function firstProblem(
  files: readonly string[],
  log: string,
  head: Head | undefined,
  read: Read,
  gaps: Acknowledged,
): Promise<Problem | undefined> {
  let before: Line | undefined;
  let line: Line | undefined;
  const check = (next: Line | undefined): Problem | undefined => {
    if (!line) return undefined;
    const named = next ? next.place?.prev : head?.seq === line.place?.seq ? head?.hash : undefined;
    const missing = gapBefore(before, line, head);
    const known = missing && gaps.find(missing);
    if (known) read.acknowledged.push(known);
    const problem = fault(known ? behind(line) : before, line, named, head, next === undefined);
    if (problem) return missing && !known ? { ...problem, gap: missing } : problem;
    read.records++;
    read.first ||= line.place!.seq;
    read.last = line.place!.seq;
    if (read.last === read.anchorSeq) read.anchored = line.hash;
    before = line;
    return undefined;
  };
  for (const file of files) {
    const lines = await linesIn(file, file === log ? (head?.size ?? 0) : Infinity);
    if (lines) read.files++;
    for (const next of lines ?? []) {
      const problem = check(next);
      if (problem) return problem;
      line = next;
    }
  }
  const problem = check(undefined);
  if (problem || !head || read.last >= head.seq) return problem;
  const from = read.last === 0 ? head.first : read.last + 1;
  return {
    file: log,
    line: (line?.file === log ? line.line : 0) + 1,
    what: `${records(from, head.seq)} removed`,
    gap: { from, to: head.seq, before: before?.hash ?? NOTHING },
  };
}

/** The records that are missing between two lines that are there. */
function gapBefore(before: Line | undefined, { place }: Line, head: Head | undefined): Gap | undefined {
  if (!place) return undefined;
  const from = before ? before.place!.seq + 1 : Math.min(place.seq, head?.first ?? place.seq);
  if (place.seq <= from || (before && place.prev === before.hash)) return undefined;
  return { from, to: place.seq - 1, before: before?.hash ?? NOTHING };
}

/** Returns the place before a line, as far as the line itself states it. */
function behind(line: Line): Line {
  const { seq, prev, day } = line.place!;
  return { file: line.file, line: line.line, hash: prev, place: { seq: seq - 1, prev: "", day } };
}

/** `named` is the hash that the next record, or the head, gives this line. */
function fault(
  before: Line | undefined,
  line: Line,
  named: string | undefined,
  head: Head | undefined,
  isLast: boolean,
): Problem | undefined {
  if (!line.place) return at(line, "this is no record, so the line was changed");
  const { seq, prev } = line.place;
  const expected = before ? before.place!.seq + 1 : Math.min(seq, head?.first ?? seq);
  const follows = before ? prev === before.hash : seq > 1 || prev === NOTHING;
  if (seq !== expected) {
    if (before && follows)
      return at(line, `it says record ${seq} in the place of ${expected}, so the line was changed`);
    if (seq < expected) return at(line, `record ${seq} stands here again or out of order`);
    return at(line, `${records(expected, seq - 1)} removed from here, or moved`);
  }
  if (!follows) {
    if (!before || isMisspelt(prev, before.hash)) return at(line, `record ${seq} was changed`);
    return at(
      before,
      `record ${seq - 1} was changed${named === line.hash || named === undefined ? "" : `, or record ${seq} was`}`,
    );
  }
  return isLast && named !== undefined && named !== line.hash
    ? at(line, `record ${seq} was changed`)
    : undefined;
}

/**
 * True for a hash that was changed here and there; one of another line differs nearly everywhere.
 */
function isMisspelt(hash: string, right: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(hash)) return true;
  return [...hash].filter((digit, place) => digit !== right[place]).length <= 8;
}

function records(from: number, to: number): string {
  return from === to ? `record ${from} was` : `records ${from} to ${to} were`;
}

function at({ file, line }: Line, what: string): Problem {
  return { file, line, what };
}

/**
 * Returns undefined if the file is missing. Bytes behind the last line break count as a line if the
 * file should be whole; beyond `whole` bytes they are being written right now, or torn, and the
 * next writer takes care of them.
 */
async function linesIn(file: string, whole: number): Promise<readonly Line[] | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { lines, rest } = linesOf(bytes);
  const found: Line[] = [];
  for (const [index, line] of lines.entries()) {
    found.push({ file, line: index + 1, hash: hashOf(line), place: placeOf(line) });
    // A service that reads its log answers meanwhile.
    if (index % linesAtOnce === linesAtOnce - 1) await setImmediate();
  }
  if (rest.length > 0 && bytes.length - rest.length < whole)
    found.push({ file, line: lines.length + 1, hash: hashOf(rest), place: undefined });
  return found;
}
