import type { LineTest } from "./line-test.ts";

const MAX_SIGNS = 300;
/** Signs before the place that is shown of a long line. */
const LEAD_SIGNS = 100;

/** What a text holds of what is looked for. */
export interface Hits {
  /** For each line that holds it the lines that are shown for it, numbered: `12:` holds it, `13-` stands near. */
  readonly blocks: readonly (readonly string[])[];
  /** True where there are more. */
  readonly more: boolean;
}

/** At most `limit` lines of a text that hold what is looked for, with `context` lines around each. */
export function searchText(
  text: string,
  test: LineTest,
  { context, limit }: { readonly context: number; readonly limit: number },
): Hits {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const blocks: string[][] = [];
  let last = -1;
  for (const [at, line] of all.entries()) {
    if (!test.holds(line)) {
      if (last !== -1 && at - last <= context) blocks.at(-1)!.push(`${at + 1}-${shortened(line, 0)}`);
      continue;
    }
    if (blocks.length === limit) return { blocks, more: true };
    const block: string[] = [];
    const from = Math.max(at - context, last === -1 ? 0 : last + context + 1, last + 1);
    if (context > 0 && last !== -1 && from > last + context + 1) block.push("--");
    for (let near = from; near < at; near++) block.push(`${near + 1}-${shortened(all[near]!, 0)}`);
    block.push(`${at + 1}:${shortened(line, line.length > MAX_SIGNS ? test.at(line) : 0)}`);
    blocks.push(block);
    last = at;
  }
  return { blocks, more: false };
}

/** A long line as far as it is of interest. */
function shortened(line: string, place: number): string {
  if (line.length <= MAX_SIGNS) return line;
  const from = Math.max(0, place - LEAD_SIGNS);
  const shown = line.slice(from, from + MAX_SIGNS);
  return `${from > 0 ? "…" : ""}${shown}${from + MAX_SIGNS < line.length ? `… (${line.length} characters)` : ""}`;
}
