import { isCode, renderMarks, withCodeApart } from "./render.ts";
import type { RichText, Span } from "./rich-text.ts";

/** Markdown as chat platforms read it: no tables, no headings, no pictures; every sign that could be a mark is escaped. */
export function renderMarkdown(rich: RichText): string {
  const { text } = rich;
  return renderMarks(withCodeApart(rich), {
    text: (piece, within) => lines(isCode(within) ? piece : escaped(piece), within),
    open: (span) => (span.kind === "quote" ? "> " : markOf(span, text, true)),
    close: (span) => markOf(span, text, false),
  });
}

function lines(text: string, within: readonly Span[]): string {
  return within.some(({ kind }) => kind === "quote") ? text.replace(/\n/g, "\n> ") : text;
}

function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]/g, "\\$&").replace(/^(\s*)([-+]|\d+(?=\.))/gm, "$1\\$2");
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
