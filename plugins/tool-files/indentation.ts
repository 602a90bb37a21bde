import { indentOf, trimmed } from "./lines.ts";

/**
 * Compares the indentation of a file with that of a text: returns a function that indents further
 * lines as the file does. Undefined if the same indentation of the text stands for different ones
 * in the file.
 */
export function indentation(
  given: readonly string[],
  found: readonly string[],
): ((line: string) => string) | undefined {
  const known = new Map<string, string>();
  for (const [at, line] of given.entries()) {
    if (trimmed(line) === "") continue;
    const [own, theirs] = [indentOf(line), indentOf(found[at]!)];
    if ((known.get(own) ?? theirs) !== theirs) return undefined;
    known.set(own, theirs);
  }
  const pairs = [...known].toSorted(([one], [other]) => one.length - other.length);
  return (line) => {
    if (trimmed(line) === "") return line;
    const own = indentOf(line);
    return indented(own, pairs) + line.slice(own.length);
  };
}

type Pairs = readonly (readonly [string, string])[];

function indented(own: string, pairs: Pairs): string {
  const below = pairs.findLast(([known]) => own.startsWith(known));
  if (below) return below[1] + converted(own.slice(below[0].length), pairs);
  const above = pairs.find(([known]) => known.startsWith(own));
  if (!above) return own;
  const less = converted(above[0].slice(own.length), pairs);
  return above[1].slice(0, Math.max(0, above[1].length - less.length));
}

/** A further indentation in the file's signs. */
function converted(more: string, pairs: Pairs): string {
  const tabs = pairs.some(([, theirs]) => theirs.includes("\t"));
  if (tabs && /^ +$/.test(more)) {
    const width = widthOf(pairs, (own, theirs) => own.length / theirs.length);
    return "\t".repeat(Math.floor(more.length / width)) + " ".repeat(more.length % width);
  }
  const blanks = pairs.some(([, theirs]) => theirs.includes(" "));
  if (!tabs && blanks && /^\t+$/.test(more))
    return " ".repeat(more.length * widthOf(pairs, (own, theirs) => theirs.length / own.length));
  return more;
}

/**
 * Returns the number of spaces that stand for a tab: from two depths if there are two, else from
 * one.
 */
function widthOf(pairs: Pairs, ratio: (own: string, theirs: string) => number): number {
  const [first, last] = [pairs[0]!, pairs.at(-1)!];
  const steps = [
    ratio(last[0].slice(first[0].length), last[1].slice(first[1].length)),
    ratio(last[0], last[1]),
  ];
  return steps.find((step) => Number.isInteger(step) && step > 0) ?? 4;
}
