import type { FoundLine } from "@gantry/sdk/fill";
import type { LineTest } from "./line-test.ts";

const MAX_CHARACTERS = 300;
/** Characters before the place that is shown of a long line. */
const LEAD_CHARACTERS = 100;

/**
 * Returns at most `limit` lines of a text that hold what is looked for, with `context` lines around
 * each; `more` if there are more.
 */
export function linesThatHold(
  text: string,
  test: LineTest,
  limit: number,
  context: number,
): { readonly lines: readonly FoundLine[]; readonly more: boolean } {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines: FoundLine[] = [];
  const near = (at: number): unknown =>
    lines.push({ line: at + 1, text: shortened(all[at]!, 0), holds: false });
  let left = limit;
  let last = -Infinity;
  for (const [at, line] of all.entries()) {
    if (!test.holds(line)) {
      if (at - last <= context) near(at);
      continue;
    }
    if (left-- === 0) return { lines, more: true };
    const from = Math.max(0, at - context, last + context + 1, last + 1);
    for (let before = from; before < at; before++) near(before);
    const place = line.length > MAX_CHARACTERS ? test.at(line) : 0;
    lines.push({ line: at + 1, text: shortened(line, place), holds: true });
    last = at;
  }
  return { lines, more: false };
}

/** Returns the part of a long line around the place of interest. */
function shortened(line: string, place: number): string {
  if (line.length <= MAX_CHARACTERS) return line;
  const from = Math.max(0, place - LEAD_CHARACTERS);
  const shown = line.slice(from, from + MAX_CHARACTERS);
  return `${from > 0 ? "…" : ""}${shown}${from + MAX_CHARACTERS < line.length ? `… (${line.length} characters)` : ""}`;
}
