import { printable } from "@gantry/sdk/node";

/**
 * Text between joiners, direction marks, fillers and tags, which many scripts and emoji are written
 * with.
 */
const between = /[^\u00ad\u061c\u115f\u1160\u180e\u200c-\u200f\u3164\uffa0\u{e0020}-\u{e007f}]+/gu;

/**
 * An answer made safe to print, whole and readable in every script; not for what a person decides
 * on.
 */
export function printableProse(text: string): string {
  return text.replace(between, (part) => printable(part, Number.POSITIVE_INFINITY));
}

// oxlint-disable-next-line no-control-regex -- the one escape sequence that only colours
const colour = /(\u001b\[[\d;]*m)/u;

/**
 * A line of a command as a terminal may take it: whoever named what it tells, nothing in it moves
 * the cursor, wipes a line or hides; colours stay. What goes into a file or another program is left
 * as it is.
 */
export function terminalLine(line: string, { isTTY }: { readonly isTTY?: boolean }): string {
  if (isTTY !== true) return line;
  return line
    .split(colour)
    .map((part) => (colour.test(part) ? part : printableProse(part)))
    .join("");
}
