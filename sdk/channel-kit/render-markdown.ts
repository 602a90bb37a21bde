import { isCode, renderMarks, withCodeApart } from "./render.ts";
import { separableSpans } from "./separable-spans.ts";
import type { RichText, Span } from "./rich-text.ts";

/**
 * Returns markdown as chat platforms read it: no tables, no headings, no pictures; every character
 * that could be a mark is escaped.
 */
export function renderMarkdown(rich: RichText): string {
  const { text } = rich;
  const apart = withCodeApart(rich);
  return renderMarks(
    { text, spans: separableSpans(apart) },
    {
      text: (piece, within) => lines(wordsOf(piece, within, text), within),
      open: (span) => (span.kind === "quote" ? "> " : markOf(span, text, true)),
      close: (span) => markOf(span, text, false),
    },
  );
}

function wordsOf(piece: string, within: readonly Span[], whole: string): string {
  if (isCode(within)) return piece;
  const link = within.find(({ kind }) => kind === "link");
  if (link === undefined) return escaped(piece);
  return isBare(whole.slice(link.from, link.to), link.url) ? piece : escapedWords(piece);
}

/** The words of a link are its address, which stands for itself. */
function isBare(words: string, url: string | undefined): boolean {
  return words === url && !/[\s<>]/.test(words);
}

function lines(text: string, within: readonly Span[]): string {
  return within.some(({ kind }) => kind === "quote") ? text.replace(/\n/g, "\n> ") : text;
}

/** An address with balanced brackets; the punctuation behind it is none of it. */
const address = /https?:\/\/(?:[^\s<>()]|\([^\s<>()]*\))+/g;
const behind = /(?<![.,:;"'\]}!?*_~|`\\])[.,:;"'\]}!?*_~|`\\]+$/;

/**
 * An address is put between angle brackets: within them it is read as it is, and a backslash would
 * become a part of it.
 */
function escaped(text: string): string {
  let out = "";
  let at = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = found.replace(behind, "");
    out += `${escapedWords(text.slice(at, index))}<${url}>`;
    at = index + url.length;
  }
  return out + escapedWords(text.slice(at));
}

function escapedWords(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]/g, "\\$&").replace(/^([^\S\n]*\d*)([-+]|(?<=\d)\.)/gm, "$1\\$2");
}

function markOf({ kind, url = "", language = "", from, to }: Span, text: string, opens: boolean): string {
  switch (kind) {
    case "bold":
      return "**";
    case "italic":
      return "*";
    case "strike":
      return "~~";
    case "link":
      if (isBare(text.slice(from, to), url)) return opens ? "<" : ">";
      return opens ? "[" : `](<${url.replace(/[<>]/g, encodeURIComponent)}>)`;
    case "code": {
      const fence = fenceFor(text.slice(from, to), 1);
      return fence.length === 1 ? fence : opens ? `${fence} ` : ` ${fence}`;
    }
    case "pre": {
      const fence = fenceFor(text.slice(from, to), 3);
      return opens ? `${fence}${language}\n` : `\n${fence}`;
    }
    default:
      return "";
  }
}

/** More backticks than the code itself has in a row. */
function fenceFor(code: string, least: number): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(Math.max(least, longest + 1));
}
