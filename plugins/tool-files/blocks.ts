import type { FoundLine } from "@gantry/sdk/fill";

/**
 * For each line that holds what is looked for the lines that are shown for it: `12:` holds it,
 * `13-` stands near, `--` is a gap.
 */
export function blocksOf(lines: readonly FoundLine[], context: number): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let before: string[] = [];
  let [last, shown] = [-Infinity, 0];
  for (const { line, text, holds } of lines) {
    if (context > 0 && blocks.length > 0 && line > shown + 1) before.push("--");
    shown = line;
    if (holds) {
      blocks.push([...before, `${line}:${text}`]);
      [before, last] = [[], line];
    } else if (line - last <= context) blocks.at(-1)!.push(`${line}-${text}`);
    else before.push(`${line}-${text}`);
  }
  return blocks;
}
