const hidden =
  // oxlint-disable-next-line no-control-regex -- control signs are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

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
