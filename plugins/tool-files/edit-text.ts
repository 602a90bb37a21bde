import { indentation } from "./indentation.ts";
import { BYTE_ORDER_MARK, Lines, indentOf, trimmed, trimmedEnd, withoutReturns } from "./lines.ts";
import { mergeLines } from "./merge-lines.ts";
import { occurrences } from "./occurrences.ts";

/** The old text and the new one; like the file, one character a byte. */
export interface Wish {
  readonly old: string;
  readonly wanted: string;
  readonly all: boolean;
}

/** One place of a file and its new text. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Found {
  readonly places: readonly Place[];
  /** The characters that did not count in the comparison. */
  readonly without?: string;
}

/** The number of places of an ambiguous text that are told. */
export const MAX_TOLD = 20;

/**
 * Finds the places of the text: to the letter, whatever the line ends; else line by line without
 * spaces at the end; else also without indentation. The first way that finds anything counts. There
 * are no places if none does.
 */
export function findText(text: string, wish: Wish): Found {
  if (/\r/.test(wish.old + wish.wanted)) {
    const literal = starts(text, wish.old, wish.all).map((start) => ({
      start,
      end: start + wish.old.length,
      text: wish.wanted,
    }));
    if (literal.length > 0) return { places: literal };
  }
  const plain = { ...wish, old: withoutReturns(wish.old), wanted: withoutReturns(wish.wanted) };
  const exact = findExact(text, plain);
  if (exact.length > 0 && !(exact.length === 1 && isIndented(text, exact[0]!, plain.old)))
    return { places: exact };
  const byLines = findByLines(text, plain);
  return byLines.places.length === 1 || exact.length === 0 ? byLines : { places: exact };
}

/**
 * Returns true if a text begins in the middle of a line's indentation: its other lines would be
 * indented less than that one.
 */
function isIndented(text: string, { start }: Place, old: string): boolean {
  const first = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const line = text.slice(first, start).replace(BYTE_ORDER_MARK, "");
  return line !== "" && trimmed(line) === "" && indentOf(old) !== "";
}

function findByLines(text: string, plain: Wish): Found {
  const lines = new Lines(text);
  const ways = [
    ["blanks at line ends", trimmedEnd],
    ["indentation and blanks at line ends", trimmed],
  ] as const;
  for (const [without, key] of ways) {
    const places = findLines(text, lines, plain, key);
    if (places.length > 0) return { places, without };
  }
  return { places: [] };
}

/**
 * Returns the places at which it begins, beside each other for `all`; otherwise a few, overlapping
 * ones too.
 */
function starts(text: string, old: string, all: boolean): readonly number[] {
  const found: number[] = [];
  let free = 0;
  for (const at of occurrences(Buffer.from(text, "latin1"), Buffer.from(old, "latin1"))) {
    if (all && at < free) continue;
    found.push(at);
    free = at + old.length;
    if (!all && found.length > MAX_TOLD) break;
  }
  return found;
}

function findExact(text: string, { old, wanted, all }: Wish): readonly Place[] {
  const plain = withoutReturns(text);
  const returns = returnsBefore(text, plain);
  return starts(plain, old, all).map((at) => {
    const [start, end] = [at + returns(at), at + old.length + returns(at + old.length)];
    return placed(text, {
      start,
      end,
      old: old.split("\n"),
      wanted: wanted.split("\n"),
      fit: (line) => line,
    });
  });
}

/** Tells how many carriage returns before an index were left out. */
function returnsBefore(text: string, plain: string): (index: number) => number {
  const at: number[] = [];
  if (plain.length < text.length)
    for (let found = text.indexOf("\r\n"); found !== -1; found = text.indexOf("\r\n", found + 2))
      at.push(found - at.length);
  return (index) => {
    let [low, high] = [0, at.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle]! < index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Whole lines that are the same by `key`. */
function findLines(
  text: string,
  lines: Lines,
  { old, wanted, all }: Wish,
  key: (line: string) => string,
): readonly Place[] {
  const breaks = old.endsWith("\n");
  const given = (breaks ? old.slice(0, -1) : old).split("\n");
  if (given.every((line) => trimmed(line) === "")) return [];
  const places: Place[] = [];
  let free = 0;
  for (const first of occurrences([...lines].map(key), given.map(key))) {
    if (all && first < free) continue;
    const after = first + given.length;
    const found = given.map((_, index) => lines.text(first + index));
    const fit = key === trimmed ? indentation(given, found) : (line: string) => line;
    if (!fit) continue;
    const whole = breaks && (after < lines.count || text.endsWith("\n"));
    const [start, end] = [lines.start(first), whole ? lines.start(after) : lines.end(after - 1)];
    const fitted = breaks && !whole ? wanted.replace(/\n$/, "") : wanted;
    const shown = whole ? [...given, ""] : given;
    places.push(placed(text, { start, end, old: shown, wanted: fitted.split("\n"), fit }));
    free = after;
    if (!all && places.length > MAX_TOLD) break;
  }
  return places;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly old: readonly string[];
  readonly wanted: readonly string[];
  fit(line: string): string;
}

function placed(text: string, { start, end, old, wanted, fit }: Part): Place {
  const part = text.slice(start, end);
  const lineEnd = lineEndAt(text, start, end);
  return { start, end, text: mergeLines({ part, old, wanted, lineEnd, fit }) };
}

/** The line end in use at a place: within it, after it, before it. */
function lineEndAt(text: string, start: number, end: number): string {
  const within = text.slice(start, end).indexOf("\n");
  const after = within === -1 ? text.indexOf("\n", end) : start + within;
  const at = after === -1 && start > 0 ? text.lastIndexOf("\n", start - 1) : after;
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** The text with its places replaced. */
export function replaced(text: string, places: readonly Place[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const place of places) {
    pieces.push(text.slice(from, place.start), place.text);
    from = place.end;
  }
  return [...pieces, text.slice(from)].join("");
}
