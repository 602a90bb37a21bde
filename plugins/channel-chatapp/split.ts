/** Cuts a text into pieces of at most `max` characters, at a line or a word where one ends in the second half of a piece. */
export function split(text: string, max: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const end = cut(rest, max);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^\s/, "");
  }
  if (rest.trim() !== "" || pieces.length === 0) pieces.push(rest);
  return pieces;
}

function cut(text: string, max: number): number {
  for (const end of [text.lastIndexOf("\n", max), text.lastIndexOf(" ", max)]) if (end > max / 2) return end;
  const code = text.charCodeAt(max - 1);
  return code >= 0xd800 && code <= 0xdbff ? max - 1 : max;
}
