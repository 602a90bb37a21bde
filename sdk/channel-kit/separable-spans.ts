import type { RichText, Span, SpanKind } from "./rich-text.ts";

/** Signs that are marks somewhere, and stand in an address without being escaped. */
const holdsMark = (text: string): boolean =>
  [...text.matchAll(/https?:\/\/\S*/gi)].some(([address]) => /[*~|`\\]/.test(address));

/**
 * Returns the forms that marks in a text can show: marks of two forms that touch would run into one
 * another, a mark next to white space is none, and one form within itself is read as its end. What
 * cannot be told apart loses its form, never its words.
 */
export function separableSpans({ text, spans }: RichText): readonly Span[] {
  const of = (kind: SpanKind): readonly Span[] => spans.filter((span) => span.kind === kind);
  const links = of("link");
  const marked = (kind: SpanKind): readonly Span[] =>
    joined(of(kind), 0)
      .flatMap((span) => trimmed(span, text))
      .filter((span) => !holdsMark(text.slice(span.from, span.to)))
      .filter((span) => !links.some((link) => overlaps(span, link) && holdsMark(link.url ?? "")));
  // A quote is known by the first character of a line.
  const quotes = joined(of("quote"), -1).filter(({ from }) => from === 0 || text[from - 1] === "\n");
  const fixed = [...quotes, ...links, ...joined(of("code"), 0), ...of("pre")];

  const bold = marked("bold").filter((span) => !links.some((link) => crosses(span, link)));
  const italic = marked("italic").filter(
    (span) =>
      ![...links, ...bold].some((other) => crosses(span, other)) && !bold.some((b) => touches(span, b)),
  );
  const strike = marked("strike").filter(
    (span) =>
      ![...links, ...bold, ...italic].some((other) => crosses(span, other)) &&
      !text.slice(span.from, span.to).includes("~"),
  );
  return [...fixed, ...bold, ...italic, ...strike].toSorted((a, b) => a.from - b.from || b.to - a.to);
}

/** Spans of one kind, those in one that are no more than so far apart. */
function joined(spans: readonly Span[], apart: number): readonly Span[] {
  const whole: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last === undefined || span.from > last.to + apart) whole.push(span);
    else whole[whole.length - 1] = { ...last, to: Math.max(last.to, span.to) };
  }
  return whole;
}

/** Returns the span without white space at both ends; empty if it holds nothing else. */
function trimmed(span: Span, text: string): readonly Span[] {
  const words = text.slice(span.from, span.to);
  const from = span.from + words.length - words.trimStart().length;
  const to = from + words.trim().length;
  return to > from ? [{ ...span, from, to }] : [];
}

/** Returns true if one ends within the other. */
function crosses(one: Span, other: Span): boolean {
  const [first, second] = one.from <= other.from ? [one, other] : [other, one];
  return first.from < second.from && second.from < first.to && first.to < second.to;
}

function overlaps(one: Span, other: Span): boolean {
  return one.from < other.to && other.from < one.to;
}

/** Returns true if one begins at the end of the other. */
function touches(one: Span, other: Span): boolean {
  return one.to === other.from || other.to === one.from;
}
