import type { RichText, Span } from "./rich-text.ts";

/** The marks by which a platform writes text and forms. */
export interface Marks {
  /** Makes text safe; `within` are the forms around it, outermost first. */
  text(text: string, within: readonly Span[]): string;
  open(span: Span): string;
  close(span: Span): string;
}

/**
 * Writes a text with marks around its spans; what overlaps is closed and opened again, so marks are
 * always nested.
 */
export function renderMarks({ text, spans }: RichText, marks: Marks): string {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])])];
  const sorted = edges.toSorted((a, b) => a - b);
  const waiting = spans.toSorted((a, b) => a.from - b.from);
  const opened: Span[] = [];
  let next = 0;
  let out = "";
  sorted.forEach((edge, i) => {
    const ending = opened.findIndex(({ to }) => to <= edge);
    const closing = ending < 0 ? [] : opened.splice(ending);
    out += closing
      .toReversed()
      .map((span) => marks.close(span))
      .join("");

    const first = next;
    while (next < waiting.length && waiting[next]!.from <= edge) next += 1;
    const starting = waiting.slice(first, next).filter(({ to }) => to > edge);
    const again = closing.filter(({ to }) => to > edge);
    for (const span of [...again, ...starting]) {
      out += marks.open(span);
      opened.push(span);
    }
    out += marks.text(text.slice(edge, sorted[i + 1] ?? edge), opened);
  });
  return out;
}

/** Returns true if the text stands in code, where nothing else has a form. */
export function isCode(within: readonly Span[]): boolean {
  return within.some(({ kind }) => kind === "code" || kind === "pre");
}

/**
 * Returns the text without the forms that stand within code, and code within a link without its
 * own. A quote goes round code in a line, never round a block.
 */
export function withCodeApart(rich: RichText): RichText {
  const links = rich.spans.filter(({ kind }) => kind === "link");
  const code = rich.spans.filter(
    (span) => isCode([span]) && !(span.kind === "code" && links.some((link) => isInside(span, link))),
  );
  const blocks = code.filter(({ kind }) => kind === "pre");
  const others = rich.spans.filter((span) => !isCode([span]));
  const kept = others.flatMap((span) =>
    span.kind === "quote"
      ? without(span, blocks).flatMap((part) => withoutBreaks(part, rich.text))
      : without(span, code),
  );
  return { ...rich, spans: [...code, ...kept].toSorted((a, b) => a.from - b.from || b.to - a.to) };
}

function isInside(inner: Span, outer: Span): boolean {
  return inner.from >= outer.from && inner.to <= outer.to;
}

/** Returns what is left of a span once others are taken out of it. */
function without(span: Span, taken: readonly Span[]): readonly Span[] {
  let left: readonly Span[] = [span];
  for (const { from, to } of taken)
    left = left.flatMap((part) =>
      [
        { ...part, to: Math.min(part.to, from) },
        { ...part, from: Math.max(part.from, to) },
      ].filter((piece) => piece.to > piece.from),
    );
  return left;
}

/** Returns the span without the line breaks at both ends. */
function withoutBreaks(span: Span, text: string): readonly Span[] {
  const words = text.slice(span.from, span.to);
  const from = span.from + words.length - words.replace(/^\n+/, "").length;
  const to = span.to - words.length + words.replace(/(?<!\n)\n+$/, "").length;
  return to > from ? [{ ...span, from, to }] : [];
}
