/** The words that `env -S` makes of a text, or undefined where it puts in variables or escapes that are not plain. */
export function splitString(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" || (char === "$" && quote === '"')) return undefined;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/[ \t\n\v\f\r]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "#" && word === undefined) break;
    else if (char === "$" || char === "\\") return undefined;
    else word = (word ?? "") + char;
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
