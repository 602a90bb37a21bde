import { Lines, trimmed } from "./lines.ts";

const SHOWN_LINES = 12;
const SHOWN_SIGNS = 160;
/** Lines are compared one by one as far as this. */
const COMPARED_LINES = 20_000;
const COMPARED_SIGNS = 120;

/** The lines of a file that are most like a text that does not stand in it, with their numbers. */
export function nearestLines(text: string, old: string): string {
  const lines = new Lines(text);
  const wanted = old.split("\n").map(trimmed);
  const first = sameLines(lines, wanted) ?? likeLine(lines, wanted);
  const from = Math.max(0, Math.min(first - 1, lines.count - SHOWN_LINES));
  const to = Math.min(lines.count, from + Math.min(SHOWN_LINES, wanted.length + 2));
  const shown: string[] = [];
  for (let line = from; line < to; line++) shown.push(`${line + 1}: ${shortened(lines.text(line))}`);
  return shown.join("\n");
}

/**
 * Finds the place at which most lines of the text stand beneath each other; undefined if none of
 * them stands anywhere.
 */
function sameLines(lines: Lines, wanted: readonly string[]): number | undefined {
  const telling = new Set(wanted.filter((line) => line.length > 2));
  const hits: number[] = [];
  for (const [at, line] of [...lines].entries()) if (telling.has(trimmed(line))) hits.push(at);
  let best: { readonly first: number; readonly count: number } | undefined;
  for (let from = 0, to = 0; from < hits.length; from++) {
    while (to < hits.length && hits[to]! < hits[from]! + wanted.length) to++;
    if (to - from > (best?.count ?? 0)) best = { first: hits[from]!, count: to - from };
  }
  return best?.first;
}

/** The line that shares most pairs of letters with the longest line of the text. */
function likeLine(lines: Lines, wanted: readonly string[]): number {
  const longest = wanted.reduce((one, other) => (other.length > one.length ? other : one), "");
  const pairs = pairsOf(longest);
  let [best, most] = [0, 0];
  for (let at = 0; at < Math.min(lines.count, COMPARED_LINES); at++) {
    const own = pairsOf(trimmed(lines.text(at)));
    let shared = 0;
    for (const pair of own) if (pairs.has(pair)) shared++;
    const likeness = (2 * shared) / (own.size + pairs.size || 1);
    if (likeness > most) [best, most] = [at, likeness];
  }
  return best;
}

function pairsOf(line: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < Math.min(line.length, COMPARED_SIGNS); at++) pairs.add(line.slice(at, at + 2));
  return pairs;
}

function shortened(line: string): string {
  const shown = Buffer.from(line.slice(0, SHOWN_SIGNS), "latin1").toString("utf8");
  return line.length <= SHOWN_SIGNS ? shown : `${shown}… (${line.length - SHOWN_SIGNS} more bytes)`;
}
