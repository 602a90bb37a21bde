/** The replacement that one edit makes of a part of a file. */
export interface Merge {
  /** The part as it stands in the file. */
  readonly part: string;
  /** The same lines as they were asked for, and what is wanted instead. */
  readonly old: readonly string[];
  readonly wanted: readonly string[];
  /** The line end of what has none to take over. */
  readonly lineEnd: string;
  /** Returns a new line as this file writes it. */
  fit(line: string): string;
}

/** Beyond this many comparisons, lines in the middle of an edit are all taken for new ones. */
const MAX_COMPARED = 4_000_000;

/**
 * The new text of a part: lines that stay are kept byte for byte, and each line that is replaced
 * hands on its line end.
 */
export function mergeLines({ part, old, wanted, lineEnd, fit }: Merge): string {
  const stand = part.split("\n");
  const kept = alignment(old, wanted);
  const reach = nextKept(kept, old.length);
  let next = 0;
  let text = "";
  for (const [at, line] of wanted.entries()) {
    const same = kept[at]!;
    const from = same === -1 ? next : same;
    const takesOver = from < (same === -1 ? reach[at]! : stand.length) && from < stand.length - 1;
    const standing = stand[from] ?? "";
    const returns = takesOver && standing.endsWith("\r");

    text += same === -1 ? fit(line) : returns ? standing.slice(0, -1) : standing;
    if (at < wanted.length - 1) text += takesOver ? (returns ? "\r\n" : "\n") : lineEnd;
    next = same === -1 ? Math.min(next + 1, reach[at]!) : same + 1;
  }
  return text;
}

/** For each wanted line the first old line that is kept there or later. */
function nextKept(kept: readonly number[], end: number): readonly number[] {
  const reach = [...kept];
  for (let at = kept.length - 1, next = end; at >= 0; at--) {
    if (reach[at] === -1) reach[at] = next;
    next = reach[at]!;
  }
  return reach;
}

/** For each wanted line the old one that it is, or -1: the longest common sequence. */
function alignment(old: readonly string[], wanted: readonly string[]): readonly number[] {
  const kept = wanted.map(() => -1);
  let first = 0;
  while (first < old.length && first < wanted.length && old[first] === wanted[first]) {
    kept[first] = first;
    first++;
  }
  let [o, w] = [old.length - 1, wanted.length - 1];
  for (; o >= first && w >= first && old[o] === wanted[w]; o--, w--) kept[w] = o;
  for (const [at, same] of common(old.slice(first, o + 1), wanted.slice(first, w + 1)))
    kept[first + at] = first + same;
  return kept;
}

/** Pairs of (wanted, old) lines that are the same, as many as can stand in order. */
function common(old: readonly string[], wanted: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * wanted.length > MAX_COMPARED) return [];
  const width = old.length + 1;
  const longest = new Uint32Array((wanted.length + 1) * width);
  for (let w = wanted.length - 1; w >= 0; w--)
    for (let o = old.length - 1; o >= 0; o--)
      longest[w * width + o] =
        wanted[w] === old[o]
          ? longest[(w + 1) * width + o + 1]! + 1
          : Math.max(longest[(w + 1) * width + o]!, longest[w * width + o + 1]!);
  const pairs: (readonly [number, number])[] = [];
  for (let w = 0, o = 0; w < wanted.length && o < old.length;) {
    if (wanted[w] === old[o]) pairs.push([w++, o++]);
    else if (longest[(w + 1) * width + o]! >= longest[w * width + o + 1]!) w++;
    else o++;
  }
  return pairs;
}
