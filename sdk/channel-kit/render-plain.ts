import { renderMarks } from "./render.ts";
import type { RichText } from "./rich-text.ts";

/**
 * Returns the text for readers that know no form, with the address behind each link that hides it.
 */
export function renderPlain(rich: RichText): string {
  return renderMarks(rich, {
    text: (text, within) => (within.some(({ kind }) => kind === "quote") ? quoted(text) : text),
    open: ({ kind }) => (kind === "quote" ? "> " : ""),
    close({ kind, url = "", from, to }) {
      return kind === "link" && rich.text.slice(from, to) !== url ? ` (${url})` : "";
    },
  });
}

function quoted(text: string): string {
  return text.replace(/\n/g, "\n> ");
}
