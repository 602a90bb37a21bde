import type { PageElement } from "./page-tree.ts";

const BLOCKS = new Set(
  "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);

/** So many are numbered; a page of 4 MiB can hold a quarter of a million. */
const MAX_LINKS = 10_000;
/** Deeper nesting is not indented further, or a page of 4 MiB would become a text of hundreds. */
const MAX_PREFIX = 32;

/**
 * The text of a part of a page with its headings, lists, tables and code, and the addresses its
 * links lead to.
 */
export class PageText {
  readonly #base: string;
  /** Address -> number. */
  readonly #links = new Map<string, number>();
  readonly #lines: string[] = [];
  #line = "";
  /**
   * True if a space may not follow: looking at the end of a line that grows takes the line's length
   * each time.
   */
  #isSpaced = true;
  #prefix = "";
  #pre = 0;

  constructor(base: string) {
    this.#base = base;
  }

  /** Blocks are parted by an empty line; a link is followed by its number. */
  static of(
    element: PageElement,
    base: string,
  ): { readonly text: string; readonly links: readonly string[] } {
    const page = new PageText(base);
    page.#write(element);
    page.#end();
    const text = page.#lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
    return { text, links: [...page.#links.keys()] };
  }

  #write(element: PageElement): void {
    const { tag } = element;
    if (tag === "br") return this.#end();
    if (tag === "img") return this.#image(element);
    if (tag === "a") return this.#link(element);
    if (tag === "code" && this.#pre === 0) return this.#between("`", element);
    if (!BLOCKS.has(tag)) {
      this.#children(element);
      if (tag === "td" || tag === "th") this.#add(" | ");
      return;
    }
    this.#end();
    this.#block(element);
    this.#end();
  }

  #block(element: PageElement): void {
    const { tag } = element;
    const heading = /^h([1-6])$/.exec(tag)?.[1];
    if (/^(?:p|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|hr)$/.test(tag)) this.#gap();
    if (tag === "hr") this.#lines.push(`${this.#prefix}---`);
    else if (tag === "pre") this.#code(element);
    else if (tag === "blockquote") this.#indented("> ", element);
    else if (tag === "ol" || tag === "ul") this.#list(element);
    else {
      if (heading !== undefined) this.#add(`${"#".repeat(Number(heading))} `);
      if (tag === "tr") this.#add("| ");
      this.#children(element);
    }
    if (/^(?:p|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|hr)$/.test(tag)) {
      this.#end();
      this.#gap();
    }
  }

  #children({ children }: PageElement): void {
    for (const child of children) {
      if (typeof child === "string") this.#text(child);
      else this.#write(child);
    }
  }

  #text(text: string): void {
    if (this.#pre > 0) {
      const [first = "", ...rest] = text.split(/\r?\n/);
      this.#add(first);
      for (const line of rest) {
        this.#lines.push(this.#prefix + this.#take());
        this.#add(line);
      }
      return;
    }
    const plain = text.replace(/\s+/g, " ");
    this.#add(this.#isSpaced ? plain.trimStart() : plain);
  }

  #between(sign: string, element: PageElement): void {
    this.#add(sign);
    this.#children(element);
    this.#add(sign);
  }

  #code(element: PageElement): void {
    this.#lines.push(`${this.#prefix}\`\`\``);
    this.#pre++;
    this.#children(element);
    if (this.#line !== "") this.#lines.push(this.#prefix + this.#take());
    this.#pre--;
    this.#lines.push(`${this.#prefix}\`\`\``);
  }

  #indented(prefix: string, element: PageElement): void {
    const [before, from] = [this.#prefix, this.#lines.length];
    if (before.length < MAX_PREFIX) this.#prefix += prefix;
    this.#children(element);
    this.#end();
    const empty = this.#prefix.trimEnd();
    while (this.#lines.length > from && this.#lines.at(-1) === empty) this.#lines.pop();
    let filled = from;
    while (this.#lines[filled] === empty) filled++;
    if (filled > from) this.#lines.splice(from, filled - from);
    this.#prefix = before;
  }

  #list({ tag, children }: PageElement): void {
    let number = 0;
    for (const child of children) {
      if (typeof child === "string") continue;
      number++;
      const mark = tag === "ol" ? `${number}. ` : "- ";
      const [from, before] = [this.#lines.length, this.#prefix];
      if (before.length < MAX_PREFIX) this.#prefix = before + " ".repeat(mark.length);
      this.#children(child);
      this.#end();
      this.#prefix = before;
      const inside = before.length < MAX_PREFIX ? before.length + mark.length : before.length;
      let at = from;
      while (at < this.#lines.length && this.#lines[at]!.trim() === "") at++;
      if (at < this.#lines.length) this.#lines[at] = before + mark + this.#lines[at]!.slice(inside);
    }
  }

  #image({ attributes }: PageElement): void {
    const alt = (attributes["alt"] ?? "").replace(/\s+/g, " ").trim();
    if (alt !== "") this.#add(`[image: ${alt}]`);
  }

  #link(element: PageElement): void {
    this.#children(element);
    const url = URL.parse(element.attributes["href"] ?? "", this.#base);
    if (!url || !/^https?:$/.test(url.protocol) || (element.attributes["href"] ?? "").startsWith("#")) return;
    const number = this.#links.get(url.href) ?? this.#links.size + 1;
    if (number > MAX_LINKS) return;
    this.#links.set(url.href, number);
    this.#add(`[${number}]`);
  }

  #gap(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1)!.trim() !== this.#prefix.trim())
      this.#lines.push(this.#prefix.trimEnd());
  }

  #end(): void {
    const line = this.#take()
      .trim()
      .replace(/(?<! \|)(?: \|)+$/, " |");
    if (line !== "" && line !== "|") this.#lines.push(this.#prefix + line);
  }

  #add(text: string): void {
    if (text === "") return;
    this.#line += text;
    this.#isSpaced = /\s/.test(text.at(-1)!);
  }

  #take(): string {
    const line = this.#line;
    [this.#line, this.#isSpaced] = ["", true];
    return line;
  }
}
