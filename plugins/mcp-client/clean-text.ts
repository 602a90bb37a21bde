/**
 * Signs that are not seen, reorder what is seen, or stand for nothing; line breaks and tabs stay.
 */
const hidden =
  /(?![\n\t])[\p{C}\u2028\u2029\u115f\u1160\u3164\uffa0]|\p{Variation_Selector}|\u034f|\u17b4|\u17b5/gu;

/** Marks by which chat templates of models begin and end the words of a speaker. */
const templates =
  /<\|[^|\n]{0,64}\|>|<\||\|>|\[\/?INST\]|<?<\/?SYS>>?|<\/?s>|<\/?(?:start|end)_of_turn>|<<\s*(?:untrusted|end)\b/gi;

/** Returns text of a server as a model and a person may be shown it, of at most so many bytes. */
export function cleaned(text: string, maxBytes: number): string {
  let left = text.slice(0, 4 * maxBytes).replace(hidden, "");
  // The text that is left of two marks in one another may be a third.
  for (let before = ""; before !== left;) [before, left] = [left, left.replace(templates, "")];
  return cutTo(left.trim(), maxBytes);
}

/** Returns true if the text holds nothing that {@link cleaned} would take out as hidden. */
export function isPlain(text: string): boolean {
  return text.search(hidden) < 0;
}

function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes - 3), { stream: true });
  return `${kept}…`;
}
