import { withCodeApart } from "./render.ts";
import { maxForms, type RichText, type Span } from "./rich-text.ts";

export interface InlineStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}
export type InlineElement =
  | { readonly type: "text"; readonly text: string; readonly style?: InlineStyle }
  | { readonly type: "link"; readonly url: string; readonly text: string; readonly style?: InlineStyle };

/**
 * A text with its forms as data, as work chats take it: nothing in it is parsed, so nothing can be
 * a mention or a mark.
 */
export interface RichTextBlock {
  readonly type: "rich_text";
  readonly elements: readonly {
    readonly type: "rich_text_section" | "rich_text_preformatted" | "rich_text_quote";
    readonly elements: readonly InlineElement[];
  }[];
}

/** Addresses that a person can follow; in blocks they are links only if an element says so. */
const bareUrl = /https?:\/\/[^\s<>"'`|]*[^\s<>"'`|.,:;!?()[\]{}*_~]/g;

/**
 * An address is repeated by every element of its link; one that would take more than that, in
 * characters, is one element.
 */
const maxRepeated = 500;

/**
 * Returns the block of a text, or undefined if there is nothing to see. Offsets of the spans may
 * cross: each stretch between two edges is an element.
 */
export function renderBlocks(whole: RichText): RichTextBlock | undefined {
  const rich = withCodeApart({ ...whole, text: whole.text.toWellFormed() });
  const links = linksIn(rich);
  const spans = [...rich.spans, ...links];
  const sorted = edgesOf(spans, rich.text.length);
  const elements: { type: Container; elements: InlineElement[] }[] = [];
  let around: Span | undefined;
  sorted.slice(0, -1).forEach((from, i) => {
    const to = sorted[i + 1] ?? from;
    const within = spans.filter((span) => span.from <= from && span.to >= to);
    const outer = within.find(({ kind }) => kind === "pre") ?? within.find(({ kind }) => kind === "quote");
    if (elements.length === 0 || outer !== around) elements.push({ type: containerOf(outer), elements: [] });
    around = outer;
    elements.at(-1)?.elements.push(inlineOf(rich.text.slice(from, to), within));
  });
  const seen = elements.map(trimmed).filter((element) => element.elements.length > 0);
  return seen.length === 0 ? undefined : { type: "rich_text", elements: seen };
}

/** Returns the offsets at which elements begin and end, ascending. */
function edgesOf(spans: readonly Span[], length: number): readonly number[] {
  const edges = [...new Set([0, length, ...spans.flatMap(({ from, to }) => [from, to])])];
  const cuts = ({ from, to }: Span): number => edges.filter((at) => from < at && at < to).length;
  const whole = spans.filter((span) => (span.url ?? "").length * cuts(span) > maxRepeated);
  const isKept = (at: number): boolean => !whole.some(({ from, to }) => from < at && at < to);
  return edges.filter(isKept).toSorted((a, b) => a - b);
}

type Container = RichTextBlock["elements"][number]["type"];

function containerOf(outer: Span | undefined): Container {
  if (outer === undefined) return "rich_text_section";
  return outer.kind === "pre" ? "rich_text_preformatted" : "rich_text_quote";
}

/** Returns the first addresses in the words, outside of code and of what is a link already. */
function linksIn({ text, spans }: RichText): readonly Span[] {
  const taken = spans.filter(({ kind }) => kind === "link" || kind === "code" || kind === "pre");
  return [...text.matchAll(bareUrl)]
    .slice(0, maxForms)
    .map(({ 0: url, index }): Span => ({ kind: "link", url, from: index, to: index + url.length }))
    .filter(({ from, to }) => !taken.some((span) => span.from < to && span.to > from));
}

function inlineOf(text: string, within: readonly Span[]): InlineElement {
  const has = (kind: Span["kind"]): boolean => within.some((span) => span.kind === kind);
  const style: InlineStyle = {
    ...(has("bold") && { bold: true }),
    ...(has("italic") && { italic: true }),
    ...(has("strike") && { strike: true }),
    ...(has("code") && { code: true }),
  };
  const styled = Object.keys(style).length > 0 && !has("pre") ? { style } : {};
  const { url } = within.find(({ kind }) => kind === "link") ?? {};
  return url === undefined ? { type: "text", text, ...styled } : { type: "link", url, text, ...styled };
}

/** Each container stands on lines of its own, so line breaks at its ends would be empty lines. */
function trimmed<T extends { readonly elements: readonly InlineElement[] }>(container: T): T {
  const elements = container.elements.map((element, i, all) => {
    const before = i === 0 ? element.text.replace(/^\n+/, "") : element.text;
    return { ...element, text: i === all.length - 1 ? before.replace(/(?<!\n)\n+$/, "") : before };
  });
  return { ...container, elements: elements.filter(({ text }) => text !== "") };
}
