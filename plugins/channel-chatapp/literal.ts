const fence = "```";

/** A sign that takes no room and joins what stands beside it. */
const joiner = "\u2060";

/**
 * A text as the platform shows it sign by sign: it knows no escapes, and reads no marks in a block of code. What would end the
 * block is parted by a sign that nobody sees.
 */
export function literal(text: string): string {
  return `${fence}\n${text.replace(/`(?=`)/g, `\`${joiner}`)}\n${fence}`;
}
