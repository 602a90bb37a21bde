import { hostileMarkdown } from "./hostile-markdown.ts";

const commands = [
  // A table of one column: what is in excess of it is not shown by whoever reads Markdown.
  "| git status\n| ---\n| git log -1 | tee out | xargs rm -rf keep",
  "| echo **/*.log ~~ _a_ `id` && rm ~/*  *",
  "| grep '\\.ts$' a\\b &amp; [docs](https://a.test/x) <https://b.test> &#114;m",
  "| cat > f << X\n|     four  spaces\n| X",
  "# one\n===\n- two\n1. three\n> four\n-# five\n||six|| :seven: <@8> <!here>",
];
const script = Array.from({ length: 400 }, (_, i) => `| echo *${i}* | tee  _${i}_ && \`rm\` -- ${i}`).join(
  "\n",
);
const line = `| echo ${"*a*  b\\ `c` ".repeat(1_500)}`;

/**
 * Texts as they stand in questions, short and long, that a reader of forms would show otherwise.
 */
export const verbatimTexts: readonly string[] = [...commands, script, line, ...hostileMarkdown].map((text) =>
  text.trim(),
);

/**
 * Returns true if these messages are the text, character by character: at the end of one a line
 * break of the text may be.
 */
export function isReadAs(messages: readonly string[], text: string): boolean {
  let at = 0;
  for (const message of messages) {
    if (text[at] === "\n" && !text.startsWith(message, at)) at += 1;
    if (!text.startsWith(message, at)) return false;
    at += message.length;
  }
  return messages.length > 0 && at === text.length;
}
