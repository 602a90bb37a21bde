// Outside ASCII and in one unit each: digits, blanks, dashes and full-width signs.
const OTHERS = /(?![\0-\x7f]|[\u{10000}-\u{10ffff}])[\p{Nd}\p{Zs}\u2010-\u2015\u2212\uff01-\uff5e]/gu;

/** The text with such signs as ASCII has them, of the same length. */
function folded(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text;
  return text.replace(OTHERS, (char) => {
    const code = char.charCodeAt(0);
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
    if (/\p{Nd}/u.test(char)) return String(digitOf(code));
    return /\p{Zs}/u.test(char) ? " " : "-";
  });
}

/** Digits stand in rows of ten that begin at …0 or at …6. */
function digitOf(code: number): number {
  const row = code & ~0xf;
  return code - (/\p{Nd}/u.test(String.fromCharCode(row)) ? row : row + 6);
}

/**
 * Replaces what `pattern` finds in the folded text; `replace` gets it folded, and tells how much of
 * its beginning goes and for what.
 */
export function replaceFolded(
  text: string,
  pattern: RegExp,
  replace: (
    found: string,
    folded: string,
    at: number,
  ) => { readonly length: number; readonly mark: string } | undefined,
): string {
  const plain = folded(text);
  // Whatever is looked for here has two digits in a row.
  if (!/\d\d/.test(plain)) return text;
  let clean = "";
  let from = 0;
  for (const match of plain.matchAll(pattern)) {
    const gone = replace(match[0], plain, match.index);
    if (!gone) continue;
    clean += text.slice(from, match.index) + gone.mark;
    from = match.index + gone.length;
  }
  return clean + text.slice(from);
}
