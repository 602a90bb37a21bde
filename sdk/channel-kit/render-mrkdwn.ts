import { isCode, renderMarks, withCodeApart } from "./render.ts";
import type { RichText, Span } from "./rich-text.ts";

const marks = { bold: "*", italic: "_", strike: "~", code: "`" } as const;

/**
 * Returns the "mrkdwn" of work chats: single marks, `<address|text>`, and `&`, `<`, `>` escaped.
 */
export function renderMrkdwn(rich: RichText): string {
  return renderMarks(withCodeApart(rich), {
    text(text, within) {
      const safe = escapeMrkdwn(text);
      const quoted = !isCode(within) && within.some(({ kind }) => kind === "quote");
      return quoted ? safe.replace(/\n/g, "\n> ") : safe;
    },
    open: (span) => markOf(span, true),
    close: (span) => markOf(span, false),
  });
}

/** Escapes a text so that nothing in it is a mention, a channel or a link. */
export function escapeMrkdwn(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function markOf({ kind, url = "" }: Span, opens: boolean): string {
  if (kind === "link") return opens ? `<${escapeMrkdwn(url).replace(/\|/g, "%7C")}|` : ">";
  if (kind === "pre") return opens ? "```\n" : "\n```";
  if (kind === "quote") return opens ? "> " : "";
  return marks[kind];
}
