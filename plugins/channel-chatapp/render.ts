import { isCode, plainText, renderMarks, withCodeApart, type RichText } from "@gantry/sdk/channel";
import { joiner } from "./literal.ts";

type Span = RichText["spans"][number];

const marks = { bold: "*", italic: "_", strike: "~", code: "`" } as const;
type Marked = keyof typeof marks;

/** A mark where the platform would begin or end a form. */
const borders = /(?<![\p{L}\p{N}])[*_~`](?=\S)|(?<=\S)[*_~`](?![\p{L}\p{N}])/gu;
const word = /[\p{L}\p{N}]/u;

/**
 * Returns a text in the platform's marks: `*bold*`, `_italic_`, `~struck~`, code, blocks, quotes.
 */
export function renderChat(rich: RichText): string {
  const apart = withCodeApart(rich);
  const spans = apart.spans.flatMap((span) => (isMarked(span) ? inLines(apart.text, span) : [span]));
  return renderMarks(
    { text: apart.text, spans: spans.toSorted((a, b) => a.from - b.from || b.to - a.to) },
    {
      text(text, within) {
        if (isCode(within)) return text.replace(/`(?=`)/g, `\`${joiner}`);
        const safe = text.replace(borders, (mark) => mark + joiner);
        return within.some(({ kind }) => kind === "quote") ? safe.replace(/\n/g, "\n> ") : safe;
      },
      open: ({ kind }) => (isMark(kind) ? marks[kind] : { pre: "```\n", quote: "> ", link: "" }[kind]),
      close({ kind, url = "", from, to }) {
        if (isMark(kind)) return marks[kind];
        if (kind === "link") return apart.text.slice(from, to) === url ? "" : ` (${url})`;
        return kind === "pre" ? "\n```" : "";
      },
    },
  );
}

function isMark(kind: Span["kind"]): kind is Marked {
  return kind in marks;
}

function isMarked({ kind }: Span): boolean {
  return isMark(kind);
}

/** A form ends with its line, holds no white space at its ends, and is none within a word. */
function inLines(text: string, span: Span): readonly Span[] {
  const lines: Span[] = [];
  for (const { 0: line, index } of text.slice(span.from, span.to).matchAll(/\S(?:.*\S)?/g)) {
    const from = span.from + index;
    const to = from + line.length;
    const isWithin = word.test(text[from - 1] ?? "") || word.test(text[to] ?? "");
    const hasTick = span.kind === "code" && line.includes("`");
    if (!isWithin && !hasTick) lines.push({ ...span, from, to });
  }
  return lines;
}

/** Returns how long a piece is on the platform, shown in its forms or character by character. */
export function lengthOf(rich: RichText, asLiteral: (text: string) => string): number {
  const literal = rich.spans.length === 0 ? asLiteral(rich.text).length : 0;
  return Math.max(renderChat(rich).length, literal);
}

/** Returns the words of a caption, in which nothing is a form. */
export function renderCaption(text: string): string {
  return renderChat(plainText(text));
}
