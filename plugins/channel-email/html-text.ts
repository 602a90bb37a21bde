import { feedMarkup } from "../shared/feed-markup.ts";
import { Parser } from "htmlparser2";

/** Without words for a reader. */
const dropped = new Set(
  "script style head title template noscript svg math object embed iframe audio video canvas map".split(" "),
);
const blocks = new Set(
  "address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul".split(
    " ",
  ),
);
const gaps = new Set("p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre".split(" "));
const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/**
 * Marks of programs at what is answered or passed on, beside blockquote, in a class, an id or a
 * name. From there on nothing of the mail is its writer's: some programs mark only the first words,
 * and markup that is passed on may close elements.
 */
const carried =
  /quot|fwd|forward|origin|reference-message|message-?header|separator-line|appendonsend|zmail_extra|zwchr|__HEADERS__|replySection/i;
const marks = ["class", "id", "name", "data-marker"];
/** Marks the words that say who wrote the quote below. */
const citing = /\bmoz-cite-prefix\b/;
/** Programs separate what is carried by a line. */
const ruler = "_".repeat(20);
/** Most characters of an address that words lead to. */
const maxAddress = 500;

/**
 * Returns the words of a mail that is written in HTML; what it quotes has `> ` before each line.
 * Scripts, styles and hidden text are left out.
 */
export function htmlText(html: string): string {
  const writer = new HtmlWriter();
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => writer.open(tag, attributes),
      ontext: (text) => writer.write(text),
      onclosetag: (tag) => writer.close(tag),
      onreset: () => writer.forget(),
    },
    { decodeEntities: true },
  );
  for (const _ of feedMarkup(html, parser, () => writer.nested)) continue;
  return writer.done();
}

interface Opened {
  readonly tag: string;
  readonly isDropped: boolean;
  readonly isQuote: boolean;
  readonly href: string | undefined;
  /** The length that the line had, in pieces and in characters. */
  readonly from: { readonly pieces: number; readonly length: number };
}

class HtmlWriter {
  readonly #open: Opened[] = [];
  readonly #lines: string[] = [];
  /** In pieces, since the text of one that grows would be copied with each look at it. */
  #line: string[] = [];
  #length = 0;
  #endsBlank = true;
  #dropped = 0;
  #quotes = 0;
  #pre = 0;

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === "br") return this.#end();
    if (blocks.has(tag)) this.#end();
    if (gaps.has(tag)) this.#gap();
    const mark = marks.map((name) => attributes[name] ?? "").join(" ");
    // A hidden one too: what is never shown is left out all the same.
    if (tag !== "blockquote" && carried.test(mark)) this.#quotes += 1;
    if (tag === "hr") this.#rule();
    if (tag === "img" && this.#dropped === 0) this.write(attributes["alt"] ?? "");
    if (tag === "li") this.#add("- ");
    if (empty.has(tag)) return;
    const isQuote = tag === "blockquote" || citing.test(mark);
    const isDropped = dropped.has(tag) || isHidden(attributes);
    if (isDropped) this.#dropped += 1;
    if (isQuote) this.#quotes += 1;
    if (tag === "pre") this.#pre += 1;
    this.#open.push({
      tag,
      isDropped,
      isQuote,
      href: tag === "a" ? attributes["href"] : undefined,
      from: { pieces: this.#line.length, length: this.#length },
    });
  }

  close(tag: string): void {
    if (empty.has(tag)) return;
    const opened = this.#open.pop();
    if (opened === undefined) return;
    this.#link(opened);
    if (blocks.has(tag)) this.#end();
    if (gaps.has(tag)) this.#gap();
    if (tag === "td" || tag === "th") this.#add(" ");
    if (opened.isDropped) this.#dropped -= 1;
    if (opened.isQuote) this.#quotes -= 1;
    if (opened.tag === "pre") this.#pre -= 1;
  }

  /** The number of open elements. */
  get nested(): number {
    return this.#open.length;
  }

  /** Leaves open elements open: what was quoted or hidden stays so to the end of the mail. */
  forget(): void {
    this.#open.length = 0;
  }

  write(text: string): void {
    if (this.#dropped > 0) return;
    if (this.#pre > 0) {
      const [first = "", ...rest] = text.split("\n");
      this.#add(first);
      for (const line of rest) {
        this.#end();
        this.#add(line);
      }
      return;
    }
    const words = text.replace(/\s+/g, " ");
    this.#add(this.#endsBlank ? words.trimStart() : words);
  }

  done(): string {
    this.#end();
    return this.#lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #add(text: string): void {
    if (text === "") return;
    this.#line.push(text);
    this.#length += text.length;
    this.#endsBlank = /\s/.test(text.at(-1) ?? "");
  }

  /** Adds the address behind words that do not show it. */
  #link({ href = "", from, isDropped }: Opened): void {
    if (isDropped || this.#dropped > 0 || !/^https?:\/\/\S+$/i.test(href)) return;
    const address = href.slice(0, maxAddress);
    // Longer words do not stand in the address; elements in each other would have them put together
    // time and again.
    const isLonger = this.#length - from.length > address.length + 2;
    const words = isLonger ? undefined : this.#line.slice(from.pieces).join("").trim();
    if (words === "" || (words !== undefined && address.includes(words.replace(/…$/, "")))) return;
    this.#add(` (${address})`);
  }

  #end(): void {
    const whole = this.#line.join("");
    const line = this.#pre > 0 ? whole.trimEnd() : whole.trim();
    this.#line = [];
    this.#length = 0;
    this.#endsBlank = true;
    if (line !== "" && line !== "-") this.#lines.push(this.#quotes > 0 ? `> ${line}` : line);
  }

  #rule(): void {
    if (this.#dropped === 0) this.#lines.push(this.#quotes > 0 ? `> ${ruler}` : ruler);
  }

  #gap(): void {
    if (this.#lines.at(-1) !== "" && this.#lines.length > 0) this.#lines.push("");
  }
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  const style = attributes["style"] ?? "";
  return (
    "hidden" in attributes ||
    /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|mso-hide\s*:\s*all/i.test(style)
  );
}
