const fence = "```";

/** A character that takes no room and joins what stands beside it. */
export const joiner = "\u2060";

/** Whatever the platform may read as bold, italic, struck, code, a quote or a list. */
const marks = /[*_~`]|^\s*(?:>|-|\d+\.)/m;

/**
 * Returns a text as the platform shows it character by character: it knows no escapes, and reads no
 * marks in a block of code. What would end the block is parted by a character that nobody sees.
 * Text without any marks needs no block.
 */
export function literal(text: string): string {
  if (!marks.test(text)) return text;
  return `${fence}\n${text.replace(/`(?=`)/g, `\`${joiner}`)}\n${fence}`;
}
