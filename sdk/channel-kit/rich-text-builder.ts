import type { RichText, Span } from "./rich-text.ts";

type Opened = Omit<Span, "from" | "to"> & { readonly from: number | undefined };

/** Addresses that a reader may be led to; whatever else stands in a link is left out of it. */
const safe = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;

/** Collects a text piece by piece, with spans that are opened and closed around them. */
export class RichTextBuilder {
  #text = "";
  #gap = 0;
  readonly #spans: Span[] = [];
  readonly #open: Opened[] = [];

  write(text: string): void {
    if (text === "") return;
    if (this.#text !== "") this.#text += "\n".repeat(this.#gap);
    this.#gap = 0;
    this.#open.forEach((span, i) => {
      if (span.from === undefined) this.#open[i] = { ...span, from: this.#text.length };
    });
    this.#text += text;
  }

  /** At least so many line breaks stand before what is written next. */
  gap(lines: number): void {
    this.#gap = Math.max(this.#gap, lines);
  }

  /** Begins with what is written next. */
  open(span: Omit<Span, "from" | "to">): void {
    this.#open.push({ ...span, from: undefined });
  }

  /** Ends what was opened last. */
  close(): void {
    const span = this.#open.pop();
    if (span?.from === undefined || span.from === this.#text.length) return;
    if (span.kind === "link" && !safe.test(span.url ?? "")) return;
    this.#spans.push({ ...span, from: span.from, to: this.#text.length });
  }

  done(): RichText {
    const spans = this.#spans.toSorted((a, b) => a.from - b.from || b.to - a.to);
    return { text: this.#text, spans };
  }
}
