export type SpanKind = "bold" | "italic" | "strike" | "code" | "pre" | "link" | "quote";

/** Writing a text takes up to the square of its forms; no person reads a text with more. */
export const maxForms = 1_000;

/** A stretch of a text that has a form; offsets count UTF-16 units. */
export interface Span {
  readonly kind: SpanKind;
  readonly from: number;
  /** The first unit after it. */
  readonly to: number;
  /** The address of a link. */
  readonly url?: string;
  /** The language of a code block. */
  readonly language?: string;
}

/** A text as people read it, and the stretches of it that have a form. */
export interface RichText {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** Returns a text without any form. */
export function plainText(text: string): RichText {
  return { text, spans: [] };
}

/** Returns the part between two offsets, with the spans that reach into it. */
export function sliceRichText({ text, spans }: RichText, from: number, to: number): RichText {
  const kept = spans.filter((span) => span.to > from && span.from < to);
  return {
    text: text.slice(from, to),
    spans: kept.map((span) => ({
      ...span,
      from: Math.max(span.from, from) - from,
      to: Math.min(span.to, to) - from,
    })),
  };
}

/**
 * Returns the text without white space at both ends; a code block keeps the indentation of its
 * first line.
 */
export function trimRichText(rich: RichText): RichText {
  const { text, spans } = rich;
  const inPre = spans.some(({ kind, from }) => kind === "pre" && from === 0);
  const from = /^\s*/.exec(text)?.[0].length ?? 0;
  const indented = text.slice(0, from).lastIndexOf("\n") + 1;
  return sliceRichText(rich, inPre ? indented : from, text.trimEnd().length);
}
