/** A structured header (RFC 5322), its quoted strings replaced by `"0"`, `"1"` and so on. */
export interface StructuredHeader {
  /** With a space in place of each comment. */
  readonly text: string;
  /** The words of the quoted strings, by these numbers. */
  readonly quoted: readonly string[];
}

/** Takes out comments, which may be nested, and quoted strings; undefined if one is unbalanced. */
export function readStructured(value: string): StructuredHeader | undefined {
  const quoted: string[] = [];
  let text = "";
  let depth = 0;
  let words: string | undefined;
  for (let i = 0; i < value.length; i += 1) {
    const isEscape = value[i] === "\\";
    if (isEscape) i += 1;
    const char = value[i];
    if (char === undefined || (isEscape && words === undefined && depth === 0)) return undefined;
    const mark = isEscape ? "" : char;
    if (words !== undefined) {
      if (mark === '"') {
        text += `"${quoted.push(words) - 1}"`;
        words = undefined;
      } else words += char;
    } else if (mark === "(") depth += 1;
    else if (mark === ")") {
      if (depth === 0) return undefined;
      depth -= 1;
      text += " ";
    } else if (depth === 0) {
      if (mark === '"') words = "";
      else text += char;
    }
  }
  return depth > 0 || words !== undefined ? undefined : { text, quoted };
}
