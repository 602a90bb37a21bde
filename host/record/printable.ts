const hidden =
  // oxlint-disable-next-line no-control-regex -- control signs are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Joiners, direction marks, fillers and tags, which many scripts and emoji are written with. */
const joining = /[\u00ad\u061c\u115f\u1160\u180e\u200c-\u200f\u3164\uffa0\u{e0020}-\u{e007f}]/u;

/** Text from outside made safe to print on one terminal: no control signs, no hidden or reordering ones. */
export function printable(text: string, max: number = 4_000): string {
  const shown = text.replace(hidden, written);
  return shown.length <= max ? shown : `${shown.slice(0, max)}… (${shown.length} characters)`;
}

/** The same for an answer, whole and readable in every script; not for what a person decides on. */
export function printableProse(text: string): string {
  return text.replace(hidden, (sign) => (joining.test(sign) ? sign : written(sign)));
}

// oxlint-disable-next-line no-control-regex -- the one escape sequence that only colours
const colour = /(\u001b\[[\d;]*m)/u;

/**
 * A line of a command as a terminal may take it: whoever named what it tells, nothing in it moves the cursor, wipes a line or
 * hides; colours stay. What goes into a file or another program is left as it is.
 */
export function terminalLine(line: string, { isTTY }: { readonly isTTY?: boolean }): string {
  if (isTTY !== true) return line;
  return line
    .split(colour)
    .map((part) => (colour.test(part) ? part : printableProse(part)))
    .join("");
}

function written(sign: string): string {
  const hex = (sign.codePointAt(0) as number).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
