import { HiddenTexts } from "../../shared/hidden-texts.ts";

/** What is shorter stands in other texts by chance. */
const SHORTEST = 8;

/**
 * A text in which nothing of these files stands: no whole line, and no value after `=` or `:`. Where they hold more than
 * can be looked for, which a run can see to, nothing of the text is left.
 */
export function hideTexts(
  text: string,
  files: readonly (readonly [name: string, content: string])[],
): string {
  if (text === "" || files.length === 0) return text;
  const hidden = new HiddenTexts();
  for (const [name, content] of files) {
    for (const secret of secretsIn(content)) hidden.add(name, secret);
  }
  const left = hidden.takeOut(text, (name) => `[taken out: ${name}]`);
  return left?.text ?? "[taken out: all, since secret files hold more than can be looked for in it]\n";
}

function* secretsIn(content: string): Generator<string> {
  for (const line of content.split("\n")) {
    const value = line.slice(line.search(/[=:]|$/) + 1).trim();
    for (const one of [line.trim(), value, value.replace(/^(["'])(.*)\1$/, "$2")])
      if (one.length >= SHORTEST) yield one;
  }
}
