import { setImmediate } from "node:timers/promises";

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
/** How the usual programs mark what is answered, beside blockquote. */
const quoting =
  /\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote|zmail_extra|divRplyFwdMsg|appendonsend|OutlookMessageHeader)\b/;
/** So much at once; then everything else gets a turn. */
const slice = 64 * 1024;
const maxDepth = 1_000;

/** The words of a mail that is written in HTML; what it quotes has `> ` before each line. Scripts, styles and hidden text are left out. */
export async function htmlText(html: string): Promise<string> {
  const { Parser } = await import("htmlparser2");
  const writer = new HtmlWriter();
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => writer.open(tag, attributes),
      ontext: (text) => writer.write(text),
      onclosetag: (tag) => writer.close(tag),
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length; at += slice) {
    parser.write(html.slice(at, at + slice));
    await setImmediate();
  }
  parser.end();
  return writer.done();
}

interface Opened {
  readonly tag: string;
  readonly isDropped: boolean;
  readonly isQuote: boolean;
  readonly href: string | undefined;
  readonly from: number;
}

class HtmlWriter {
  readonly #open: Opened[] = [];
  readonly #lines: string[] = [];
  #line = "";
  #dropped = 0;
  #quotes = 0;
  #pre = 0;
  #deeper = 0;

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === "br") return this.#end();
    if (blocks.has(tag)) this.#end();
    if (gaps.has(tag)) this.#gap();
    if (tag === "img" && this.#dropped === 0) this.write(attributes["alt"] ?? "");
    if (tag === "li") this.#line = "- ";
    if (empty.has(tag)) return;
    if (this.#open.length >= maxDepth) return void (this.#deeper += 1);
    const isQuote =
      tag === "blockquote" || quoting.test(`${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`);
    const isDropped = dropped.has(tag) || isHidden(attributes);
    if (isDropped) this.#dropped += 1;
    if (isQuote) this.#quotes += 1;
    if (tag === "pre") this.#pre += 1;
    this.#open.push({
      tag,
      isDropped,
      isQuote,
      href: tag === "a" ? attributes["href"] : undefined,
      from: this.#line.length,
    });
  }

  close(tag: string): void {
    if (empty.has(tag)) return;
    if (this.#deeper > 0) return void (this.#deeper -= 1);
    const opened = this.#open.pop();
    if (opened === undefined) return;
    this.#link(opened);
    if (blocks.has(tag)) this.#end();
    if (gaps.has(tag)) this.#gap();
    if (tag === "td" || tag === "th") this.#line += " ";
    if (opened.isDropped) this.#dropped -= 1;
    if (opened.isQuote) this.#quotes -= 1;
    if (opened.tag === "pre") this.#pre -= 1;
  }

  write(text: string): void {
    if (this.#dropped > 0) return;
    if (this.#pre > 0) {
      const [first = "", ...rest] = text.split("\n");
      this.#line += first;
      for (const line of rest) {
        this.#end();
        this.#line = line;
      }
      return;
    }
    const words = text.replace(/\s+/g, " ");
    this.#line += /(?:^|\s)$/.test(this.#line) ? words.trimStart() : words;
  }

  done(): string {
    this.#end();
    return this.#lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  /** The address behind words that do not show it. */
  #link({ href = "", from, isDropped }: Opened): void {
    const words = this.#line.slice(from).trim();
    if (isDropped || this.#dropped > 0 || words === "" || !/^https?:\/\/\S+$/i.test(href)) return;
    if (!href.includes(words.replace(/…$/, ""))) this.#line += ` (${href.slice(0, 500)})`;
  }

  #end(): void {
    const line = this.#pre > 0 ? this.#line.trimEnd() : this.#line.trim();
    this.#line = "";
    if (line !== "" && line !== "-") this.#lines.push(this.#quotes > 0 ? `> ${line}` : line);
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
