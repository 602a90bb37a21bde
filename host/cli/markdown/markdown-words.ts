import { styleText } from "node:util";
import Parser, { type Token } from "markdown-it";
import { tint } from "../theme.ts";
import { printableProse } from "../terminal-line.ts";

type Format = Parameters<typeof styleText>[0];

const parser = new Parser({ html: false, linkify: false }).disable("reference");
const formats: Readonly<Record<string, Format>> = {
  strong: "bold",
  em: "italic",
  s: "strikethrough",
};
/** Signs that may open a form, or are left of one that was not closed. */
const marks = /[*_`[\]<&~\\!]/;

/** Returns words in a form, where the stream shows forms. */
export function styled(format: Format, text: string): string {
  return text === "" ? "" : styleText(format, text, { stream: process.stdout });
}

/** Returns the words of a line of Markdown, safe to print and in their forms. */
export function inlineWords(text: string): string {
  if (!marks.test(text)) return printableProse(text);
  const open: { readonly format: Format | undefined; readonly url: string; text: string }[] = [];
  let out = "";
  const put = (words: string): void => {
    const inner = open.at(-1);
    if (inner) inner.text += words;
    else out += words;
  };
  for (const token of inlineTokens(text)) {
    if (token.nesting === 1) {
      const format = formats[token.tag];
      open.push({ format, url: attribute(token, "href"), text: "" });
    } else if (token.nesting === -1) {
      const { format, url, text: words } = open.pop() ?? { format: undefined, url: "", text: "" };
      put(format === undefined ? words + address(url, words) : styled(format, words));
    } else put(leaf(token));
  }
  return out;
}

/** True if no form that begins in the text can end behind it. */
export function isClosed(text: string): boolean {
  return (
    !marks.test(text) ||
    inlineTokens(text).every(({ type, content }) => type !== "text" || !marks.test(content))
  );
}

function inlineTokens(text: string): readonly Token[] {
  return parser.parseInline(text, {})[0]?.children ?? [];
}

function leaf(token: Token): string {
  if (token.type === "code_inline") return styled(tint("code"), printableProse(token.content));
  if (token.type === "softbreak" || token.type === "hardbreak") return "\n";
  const words = printableProse(token.content);
  return token.type === "image" ? words + address(attribute(token, "src"), words) : words;
}

/** An address stands where it is used, so that nobody follows one unseen. */
function address(url: string, words: string): string {
  const shown = printableProse(url);
  return shown === "" || shown === words ? "" : styled(tint("quiet"), ` (${shown})`);
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}
