import { withCodeApart } from "./render.ts";
import type { RichText, Span } from "./rich-text.ts";

/**
 * A form by its place, for platforms that take the text as it is: nothing is escaped, so nothing
 * can be read wrongly.
 */
export interface TextEntity {
  readonly type: string;
  /** UTF-16 units. */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

const types = {
  bold: "bold",
  italic: "italic",
  strike: "strikethrough",
  code: "code",
  pre: "pre",
  link: "text_link",
  quote: "blockquote",
} as const;

/**
 * Returns the forms of a text, outer ones first; of more than `max`, links and code are kept before
 * what is only emphasis.
 */
export function renderEntities(rich: RichText, max: number): readonly TextEntity[] {
  const spans = withoutInnerQuotes(withCodeApart(rich).spans);
  const byWeight = spans.toSorted((a, b) => weight(b) - weight(a) || a.from - b.from);
  return byWeight
    .slice(0, max)
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
    .map(({ kind, from, to, url, language }) => ({
      type: types[kind],
      offset: from,
      length: to - from,
      ...(url !== undefined && { url }),
      ...(language !== undefined && { language }),
    }));
}

function weight({ kind }: Span): number {
  return ["link", "pre", "code", "quote"].includes(kind) ? 1 : 0;
}

/** Quotes do not nest on any platform that has them. */
function withoutInnerQuotes(spans: readonly Span[]): readonly Span[] {
  return spans.filter(
    (span) =>
      span.kind !== "quote" ||
      !spans.some(
        (other) => other !== span && other.kind === "quote" && other.from <= span.from && span.to <= other.to,
      ),
  );
}
