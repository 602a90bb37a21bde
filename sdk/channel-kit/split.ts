import { plainText, sliceRichText, trimRichText, type RichText } from "./rich-text.ts";

export interface SplitOptions {
  /** The platform's bound for one message. */
  readonly max: number;
  /**
   * Returns the size that counts against it; default: the text's UTF-16 units. Give the length of
   * the rendered form if characters are added.
   */
  readonly size?: (piece: RichText) => number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Cuts a text into messages: at a paragraph, a line or a word if one ends in the second half, else
 * between two characters as people see them. A code block that fits into one message stays whole; a
 * longer one is cut between its lines, and each part is a code block. Nothing but white space at
 * the cuts is lost.
 */
export function splitRichText(whole: RichText, options: SplitOptions): readonly RichText[] {
  const rich = withoutLongLinks(whole, options.max / 4);
  const pieces: RichText[] = [];
  let at = 0;
  for (;;) {
    at = startOfPiece(rich, at);
    if (at >= rich.text.length) return pieces;
    const end = endOfPiece(rich, at, options);
    const piece = trimRichText(sliceRichText(rich, at, end));
    if (piece.text.trim() !== "") pieces.push(piece);
    at = end;
  }
}

/** Returns the same for a text without any form. Never empty: no text is one empty message. */
export function splitText(text: string, max: number): readonly string[] {
  const pieces = splitRichText(plainText(text), { max });
  return pieces.length === 0 ? [""] : pieces.map((piece) => piece.text);
}

/**
 * Cuts a text that is shown character by character: after a line, else within one at a place
 * without white space next to the cut, as platforms take that from the ends of a message. Nothing
 * but the line break at a cut is lost.
 */
export function splitVerbatim(text: string, options: SplitOptions): readonly RichText[] {
  const pieces: RichText[] = [];
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(plainText(text), at, options, { cut: cutVerbatim, trim: (piece) => piece });
    const piece = plainText(text.slice(at, end));
    if (piece.text.trim() !== "") pieces.push(piece);
    at = text[end] === "\n" ? end + 1 : end;
  }
  return pieces;
}

/** Leaves a link as words if its address would take most of a message. */
function withoutLongLinks({ text, spans }: RichText, max: number): RichText {
  return { text, spans: spans.filter(({ url = "" }) => url.length <= max) };
}

/**
 * Returns the offset after white space, which would take room from a message; a line of code keeps
 * its indentation.
 */
function startOfPiece({ text, spans }: RichText, at: number): number {
  const blank = /^\s*/.exec(text.slice(at))?.[0] ?? "";
  const next = at + blank.length;
  const isInCode = spans.some(({ kind, from, to }) => kind === "pre" && from <= next && next < to);
  return isInCode ? at + blank.lastIndexOf("\n") + 1 : next;
}

interface Cutting {
  cut(rich: RichText, at: number, end: number): number;
  /** Returns the piece as the platform will be given it. */
  trim(piece: RichText): RichText;
}

function endOfPiece(
  rich: RichText,
  at: number,
  { max, size = lengthOf }: SplitOptions,
  by: Cutting = { cut, trim: trimRichText },
): number {
  let room = Math.min(max, rich.text.length - at);
  for (;;) {
    const end = at + room === rich.text.length ? at + room : by.cut(rich, at, at + room);
    if (end - at <= 1) return end;
    const taken = size(by.trim(sliceRichText(rich, at, end)));
    if (taken <= max) return end;
    room = Math.max(1, Math.min(end - at - 1, Math.floor(((end - at) * max) / taken)));
  }
}

function lengthOf({ text }: RichText): number {
  return text.length;
}

/** Returns the best place to cut after `at` and not after `end`. */
function cut(rich: RichText, at: number, end: number): number {
  const { text, spans } = rich;
  const half = at + (end - at) / 2;
  const block = spans.find(({ kind, from, to }) => kind === "pre" && from < end && end < to);
  if (block && block.from > at && block.to - block.from <= end - at) return block.from;

  const lowest = block ? Math.max(at, block.from) : half;
  const line = text.lastIndexOf("\n", end);
  const paragraph = text.lastIndexOf("\n\n", end);
  if (!block && paragraph > half) return outsideBlocks(rich, at, paragraph);
  if (line > lowest) return block ? line : outsideBlocks(rich, at, line);

  const word = text.lastIndexOf(" ", end);
  if (word > half && graphemeStart(text, at, word + 1) === word + 1) return outsideBlocks(rich, at, word);
  return graphemeStart(text, at, end);
}

/** As {@link cut}, for {@link splitVerbatim}. */
function cutVerbatim({ text }: RichText, at: number, end: number): number {
  const line = text.lastIndexOf("\n", end);
  if (line > at) return line;
  for (let place = end; place > at + (end - at) / 2; place -= 1)
    if (/^\S\S$/.test(text.slice(place - 1, place + 1)) && graphemeStart(text, at, place) === place)
      return place;
  return graphemeStart(text, at, end);
}

/** Moves a cut that would fall into a code block before the block. */
function outsideBlocks({ spans }: RichText, at: number, end: number): number {
  const block = spans.find(({ kind, from, to }) => kind === "pre" && from < end && end < to);
  return block && block.from > at ? block.from : end;
}

/**
 * Returns the beginning of the character at `end`, which is `end` itself between two characters.
 */
function graphemeStart(text: string, at: number, end: number): number {
  const around = graphemes.segment(text.slice(at, end + 2)).containing(end - at);
  if (around === undefined || around.index === end - at) return end;
  if (around.index > 0) return at + around.index;
  // A character that is longer than a whole message is cut between its parts.
  const isPair = /[\ud800-\udbff]/.test(text[end - 1] ?? "") && /[\udc00-\udfff]/.test(text[end] ?? "");
  return isPair && end - 1 > at ? end - 1 : end;
}
