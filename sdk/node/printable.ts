const hidden =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- it is about these
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\u{e0000}-\u{e0fff}]|(?<![\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f]/gu;

/**
 * Returns text from outside made safe to print on one terminal: no control characters, no hidden or
 * reordering ones.
 */
export function printable(text: string, max: number = 4_000): string {
  const shown = text.replace(hidden, written);
  return shown.length <= max ? shown : `${shown.slice(0, max)}… (${shown.length} characters)`;
}

function written(sign: string): string {
  const hex = (sign.codePointAt(0) as number).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
