/** Scripts written without spaces: each character is a word of its own. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** A query longer than this is searched by its first words. */
const MAX_QUERY_WORDS = 32;

/** The words of a text, in lower case. */
export function splitWords(text: string): readonly string[] {
  return text.toLowerCase().replace(UNSPACED, " $& ").match(WORD) ?? [];
}

/** The text as the index sees it: split as queries are, whatever SQLite's own idea of a word. */
export function indexed(text: string): string {
  return splitWords(text).join(" ");
}

/** The distinct words of a query; none where it holds no letter and no digit. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(splitWords(query))].slice(0, MAX_QUERY_WORDS);
}
