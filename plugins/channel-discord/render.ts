import { renderMarkdown, type RichText, type Span } from "@gantry/sdk/channel";

/** The platform knows no longer fence for a code block, and only these characters as a language. */
const fence = "```";
const language = /^[a-z0-9_+\-.#]+$/i;

/**
 * A text as the platform reads it. What could be read otherwise there loses its form and never its
 * words.
 */
export function renderMessage(rich: RichText): string {
  const spans = rich.spans.filter((span) => isReadable(span, rich.text)).map(withKnownLanguage);
  return renderMarkdown({ text: rich.text.toWellFormed(), spans });
}

function isReadable({ kind, url, from, to }: Span, text: string): boolean {
  const words = text.slice(from, to);
  if (kind === "pre") return !words.includes(fence) && words.trim() !== "";
  // Between more than two of these characters it would be a block.
  if (kind === "code") return !words.includes("``");
  if (kind !== "link" || words === url) return true;
  // Words that are another address make no link there; a later `](` would end the first link.
  return !/[[\]]|https?:\/\//i.test(words) && !text.slice(to).includes("](");
}

function withKnownLanguage(span: Span): Span {
  if (span.language === undefined || language.test(span.language)) return span;
  const { language: _, ...rest } = span;
  return rest;
}
