/** A structured header (RFC 5322): its comments are blanks, its quoted strings `"0"`, `"1"` and so on. */
export interface StructuredHeader {
  readonly text: string;
  /** The words of the quoted strings, by these numbers. */
  readonly quoted: readonly string[];
}

/** Reads comments, which may be nested, and quoted strings; undefined if one of them does not end, or ends unbegun. */
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
