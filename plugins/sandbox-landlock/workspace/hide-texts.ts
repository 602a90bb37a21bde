/** What is shorter stands in other texts by chance. */
const SHORTEST = 8;

/** A text in which nothing of these files stands: no whole line, and no value after `=` or `:`. */
export function hideTexts(
  text: string,
  files: readonly (readonly [name: string, content: string])[],
): string {
  let hidden = text;
  for (const [name, content] of files) {
    for (const secret of secretsIn(content)) {
      if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, `[taken out: ${name}]`);
    }
  }
  return hidden;
}

/** The longest first, so that no part of one is left. */
function secretsIn(content: string): readonly string[] {
  const found = content.split("\n").flatMap((line) => {
    const value = line.slice(line.search(/[=:]|$/) + 1).trim();
    return [line.trim(), value, value.replace(/^(["'])(.*)\1$/, "$2")];
  });
  return [...new Set(found)]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
}
