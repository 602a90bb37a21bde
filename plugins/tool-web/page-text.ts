import type { PageElement } from "./page-tree.ts";

const BLOCKS = new Set(
  "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);

/** The text of a part of a page with its headings, lists, tables and code, and the addresses its links lead to. */
export class PageText {
  readonly #base: string;
  readonly #links: string[] = [];
  readonly #lines: string[] = [];
  #line = "";
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
    return { text, links: page.#links };
  }

  #write(element: PageElement): void {
    const { tag } = element;
    if (tag === "br") return this.#end();
    if (tag === "img") return this.#image(element);
    if (tag === "a") return this.#link(element);
    if (tag === "code" && this.#pre === 0) return this.#between("`", element);
    if (!BLOCKS.has(tag)) {
      this.#children(element);
      if (tag === "td" || tag === "th") this.#line += " | ";
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
      if (heading !== undefined) this.#line = `${"#".repeat(Number(heading))} `;
      if (tag === "tr") this.#line = "| ";
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
      this.#line += first;
      for (const line of rest) {
        this.#lines.push(this.#prefix + this.#line);
        this.#line = line;
      }
      return;
    }
    const plain = text.replace(/\s+/g, " ");
    this.#line += /(?:^|\s)$/.test(this.#line) ? plain.trimStart() : plain;
  }

  #between(sign: string, element: PageElement): void {
    this.#line += sign;
    this.#children(element);
    this.#line += sign;
  }

  #code(element: PageElement): void {
    this.#lines.push(`${this.#prefix}\`\`\``);
    this.#pre++;
    this.#children(element);
    if (this.#line !== "") this.#lines.push(this.#prefix + this.#line);
    this.#line = "";
    this.#pre--;
    this.#lines.push(`${this.#prefix}\`\`\``);
  }

  #indented(prefix: string, element: PageElement): void {
    const [before, from] = [this.#prefix, this.#lines.length];
    this.#prefix += prefix;
    this.#children(element);
    this.#end();
    const empty = this.#prefix.trimEnd();
    while (this.#lines.length > from && this.#lines.at(-1) === empty) this.#lines.pop();
    while (this.#lines[from] === empty) this.#lines.splice(from, 1);
    this.#prefix = before;
  }

  #list({ tag, children }: PageElement): void {
    let number = 0;
    for (const child of children) {
      if (typeof child === "string") continue;
      number++;
      const mark = tag === "ol" ? `${number}. ` : "- ";
      const [from, before] = [this.#lines.length, this.#prefix];
      this.#prefix = before + " ".repeat(mark.length);
      this.#children(child);
      this.#end();
      this.#prefix = before;
      const at = this.#lines.findIndex((line, index) => index >= from && line.trim() !== "");
      if (at !== -1) this.#lines[at] = before + mark + this.#lines[at]!.slice(before.length + mark.length);
    }
  }

  #image({ attributes }: PageElement): void {
    const alt = (attributes["alt"] ?? "").replace(/\s+/g, " ").trim();
    if (alt !== "") this.#line += `[image: ${alt}]`;
  }

  #link(element: PageElement): void {
    this.#children(element);
    const url = URL.parse(element.attributes["href"] ?? "", this.#base);
    if (!url || !/^https?:$/.test(url.protocol) || (element.attributes["href"] ?? "").startsWith("#")) return;
    const known = this.#links.indexOf(url.href);
    const number = known === -1 ? this.#links.push(url.href) : known + 1;
    this.#line += `[${number}]`;
  }

  #gap(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1)!.trim() !== this.#prefix.trim())
      this.#lines.push(this.#prefix.trimEnd());
  }

  #end(): void {
    const line = this.#line.trim().replace(/(?: \|)+$/, " |");
    this.#line = "";
    if (line !== "" && line !== "|") this.#lines.push(this.#prefix + line);
  }
}
