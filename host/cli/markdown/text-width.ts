import { stripVTControlCharacters } from "node:util";

const signs = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ascii = /^[\u0020-\u007e]*$/;
/**
 * Characters that terminals give two columns: East Asian wide ones, and emoji that are pictures by
 * themselves.
 */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;
const noWidth = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** Returns how many columns of a terminal a text takes, without its colours. */
export function textWidth(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (ascii.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of signs.segment(bare)) width += signWidth(segment);
  return width;
}

function signWidth(sign: string): number {
  if (noWidth.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}

/**
 * Returns the rows that a text without colours takes in so many columns, broken between words where
 * it can.
 */
export function rowsWithin(text: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  for (const word of text.split(/(?<=\s)/)) {
    if (textWidth(row + word.trimEnd()) <= columns) {
      row += word;
      continue;
    }
    if (row !== "") rows.push(row.trimEnd());
    row = "";
    for (const { segment } of signs.segment(word)) {
      if (row !== "" && textWidth(row + segment) > columns) {
        rows.push(row);
        row = "";
      }
      row += segment;
    }
  }
  return [...rows, row.trimEnd()];
}
