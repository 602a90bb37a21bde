import { renderMarks, withCodeApart } from "./render.ts";
import type { RichText, Span } from "./rich-text.ts";

const tags = { bold: "b", italic: "i", strike: "s", code: "code", quote: "blockquote" } as const;

/**
 * Returns HTML of the few tags that every reader of mail and chat knows. Line breaks stay line
 * breaks; `breaks` makes them `<br>`.
 */
export function renderHtml(rich: RichText, { breaks = false }: { readonly breaks?: boolean } = {}): string {
  return renderMarks(withCodeApart(rich), {
    text(text, within) {
      const safe = escapeHtml(text);
      const inPre = within.some(({ kind }) => kind === "pre");
      return breaks && !inPre ? safe.replace(/\n/g, "<br>\n") : safe;
    },
    open: (span) => tagOf(span, true),
    close: (span) => tagOf(span, false),
  });
}

/** Escapes a text that is not HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function tagOf({ kind, url = "", language }: Span, opens: boolean): string {
  if (kind === "link") return opens ? `<a href="${escapeHtml(url)}">` : "</a>";
  if (kind !== "pre") return opens ? `<${tags[kind]}>` : `</${tags[kind]}>`;
  if (language === undefined) return opens ? "<pre>" : "</pre>";
  return opens ? `<pre><code class="language-${escapeHtml(language)}">` : "</code></pre>";
}
