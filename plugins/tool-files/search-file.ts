import { setImmediate } from "node:timers/promises";
import type { LineTest } from "./line-test.ts";

const MAX_SIGNS = 300;
/** Signs before the place that is shown of a long line. */
const LEAD_SIGNS = 100;
/** Everything else gets a turn after so many signs. */
const SLICE_SIGNS = 1_000_000;

/** Lines around those that hold it, and the number of those that do. */
export interface Hits {
  readonly lines: readonly string[];
  readonly count: number;
  /** True where there are more. */
  readonly more: boolean;
}

/** The lines of a text that hold what is looked for, numbered; `12:` holds it, `13-` stands near. */
export async function searchText(
  text: string,
  test: LineTest,
  { context, limit }: { readonly context: number; readonly limit: number },
): Promise<Hits> {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines: string[] = [];
  let [count, last, slice] = [0, -1, 0];
  for (const [at, line] of all.entries()) {
    slice += line.length + 1;
    if (slice > SLICE_SIGNS) {
      await setImmediate();
      slice = 0;
    }
    if (!test.holds(line)) {
      if (last !== -1 && at - last <= context) lines.push(`${at + 1}-${shortened(line, 0)}`);
      continue;
    }
    if (count === limit) return { lines, count, more: true };
    const from = Math.max(at - context, last === -1 ? 0 : last + context + 1, last + 1);
    if (context > 0 && last !== -1 && from > last + context + 1) lines.push("--");
    for (let near = from; near < at; near++) lines.push(`${near + 1}-${shortened(all[near]!, 0)}`);
    lines.push(`${at + 1}:${shortened(line, line.length > MAX_SIGNS ? test.at(line) : 0)}`);
    count++;
    last = at;
  }
  return { lines, count, more: false };
}

/** A long line as far as it is of interest. */
function shortened(line: string, place: number): string {
  if (line.length <= MAX_SIGNS) return line;
  const from = Math.max(0, place - LEAD_SIGNS);
  const shown = line.slice(from, from + MAX_SIGNS);
  return `${from > 0 ? "…" : ""}${shown}${from + MAX_SIGNS < line.length ? `… (${line.length} characters)` : ""}`;
}
