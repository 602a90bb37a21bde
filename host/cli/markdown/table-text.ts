import { stripVTControlCharacters } from "node:util";
import { inlineWords, styled } from "./markdown-words.ts";
import { tint } from "../theme.ts";
import { rowsWithin, textWidth } from "./text-width.ts";

const gap = "  ";
/** A column is never narrower: less than this tears every word. */
const least = 8;

/**
 * Returns the cells of a line of a table, which begins with a bar, or undefined for another line.
 */
export function cellsOf(line: string): readonly string[] | undefined {
  if (!/^\s*\|/.test(line)) return undefined;
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** True for the line below the head of a table: `|---|:--:|`. */
export function isRule(line: string): boolean {
  return cellsOf(line)?.every((cell) => /^:?-+:?$/.test(cell)) === true;
}

/**
 * Returns the lines of a table that fits into so many columns: cells are broken into rows where
 * they must be, and a table with too many columns becomes a list of its rows.
 */
export function tableText(lines: readonly string[], columns: number): readonly string[] {
  const [head = [], rule = [], ...body] = lines.map((line) => cellsOf(line) ?? []);
  const isRight = rule.map((cell) => /^-+:$/.test(cell));
  const shown = [head.map((cell) => styled("bold", inlineWords(cell))), ...body.map(wordsOf)];
  const natural = head.map((_, at) => Math.max(1, ...shown.map((row) => textWidth(row[at] ?? ""))));
  const widths = fitted(natural, columns - gap.length * (head.length - 1));
  if (!widths) return asList(shown);
  const [first = [], ...rest] = shown.map((row) => rowLines(row, widths, isRight));
  const under = styled(tint("quiet"), widths.map((width) => "─".repeat(width)).join(gap));
  return [...first, under, ...rest.flat()];
}

function wordsOf(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => inlineWords(cell));
}

/** Takes from the widest columns until all fit; undefined if even the least is too much. */
function fitted(natural: readonly number[], columns: number): readonly number[] | undefined {
  const over = (most: number): boolean =>
    natural.reduce((sum, width) => sum + Math.min(width, most), 0) > columns;
  let most = Math.max(...natural);
  while (most > least && over(most)) most -= 1;
  return over(most) ? undefined : natural.map((width) => Math.min(width, most));
}

function rowLines(
  cells: readonly string[],
  widths: readonly number[],
  isRight: readonly boolean[],
): readonly string[] {
  const rows = widths.map((width, at) => {
    const cell = cells[at] ?? "";
    return textWidth(cell) <= width ? [cell] : rowsWithin(stripVTControlCharacters(cell), width);
  });
  const height = Math.max(...rows.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, at) => {
        const text = rows[at]?.[line] ?? "";
        const space = " ".repeat(Math.max(0, width - textWidth(text)));
        return isRight[at] ? space + text : text + space;
      })
      .join(gap)
      .trimEnd(),
  );
}

function asList([head = [], ...body]: readonly (readonly string[])[]): readonly string[] {
  return body.flatMap((row, n) => [
    ...(n > 0 ? [""] : []),
    ...row.map((cell, at) => (head[at] ? `${head[at]}: ${cell}` : cell)),
  ]);
}
