import type { MarkdownIt, Token } from "markdown-it";
import { maxForms, plainText, type RichText } from "./rich-text.ts";
import { RichTextBuilder } from "./rich-text-builder.ts";

/** A longer text is sent as it is: reading its form would keep the service busy. */
const maxLength = 64 * 1024;

let parser: Promise<MarkdownIt> | undefined;

/**
 * Returns the text and the forms of a model's markdown. A text that cannot be read as markdown, or
 * has too many forms, stays as it is; never throws.
 */
export async function readMarkdown(markdown: string): Promise<RichText> {
  if (markdown.length > maxLength) return plainText(markdown);
  try {
    parser ??= loadParser();
    const rich = new MarkdownReader().read((await parser).parse(markdown, {}));
    // Marks without any word between them are what was meant to be said.
    return rich.text.trim() === "" || rich.spans.length > maxForms ? plainText(markdown) : rich;
  } catch {
    return plainText(markdown);
  }
}

/** Addresses are written at their use: a definition apart would vanish from what people read. */
async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import("markdown-it");
  return new Parser({ html: false, linkify: false }).disable("reference");
}

interface List {
  readonly ordered: boolean;
  next: number;
}

/** Walks the blocks of a text, in order. */
class MarkdownReader {
  readonly #out = new RichTextBuilder();
  readonly #lists: List[] = [];
  #table: string[][] = [];

  read(tokens: readonly Token[]): RichText {
    for (const token of tokens) this.#block(token);
    return this.#out.done();
  }

  #block(token: Token): void {
    switch (token.type) {
      case "heading_open":
        return this.#out.open({ kind: "bold" });
      case "heading_close":
        this.#out.close();
        return this.#out.gap(2);
      case "paragraph_close":
        return this.#out.gap(token.hidden ? 1 : 2);
      case "blockquote_open":
        return this.#out.open({ kind: "quote" });
      case "blockquote_close":
        this.#out.close();
        return this.#out.gap(2);
      case "fence":
      case "code_block":
        return this.#code(token);
      case "hr":
        this.#out.write("———");
        return this.#out.gap(2);
      case "inline":
        return this.#inline(token.children ?? []);
      default:
        return token.type.endsWith("list_open") || /^(?:list|ordered|bullet)/.test(token.type)
          ? this.#list(token)
          : this.#tablePart(token);
    }
  }

  #code({ content, info }: Token): void {
    const [language = ""] = info.trim().split(/\s+/);
    this.#out.open({ kind: "pre", ...(language !== "" && { language }) });
    this.#out.write(content.replace(/\n$/, ""));
    this.#out.close();
    this.#out.gap(2);
  }

  #list(token: Token): void {
    if (token.type === "bullet_list_open") this.#lists.push({ ordered: false, next: 1 });
    if (token.type === "ordered_list_open")
      this.#lists.push({ ordered: true, next: Number(token.attrGet("start") ?? 1) });
    if (token.type === "list_item_open") this.#item();
    if (token.type === "list_item_close") this.#out.gap(1);
    if (!token.type.endsWith("list_close")) return;
    this.#lists.pop();
    this.#out.gap(this.#lists.length > 0 ? 1 : 2);
  }

  #item(): void {
    const list = this.#lists.at(-1);
    const mark = list?.ordered ? `${list.next}. ` : "• ";
    if (list) list.next += 1;
    this.#out.write("  ".repeat(Math.min(this.#lists.length, 8) - 1) + mark);
  }

  /** A table becomes lines of one width: no platform has tables. */
  #tablePart(token: Token): void {
    if (token.type === "table_open") this.#table = [];
    if (token.type === "tr_open") this.#table.push([]);
    if (token.type === "th_open" || token.type === "td_open") this.#table.at(-1)?.push("");
    if (token.type !== "table_close") return;
    this.#out.open({ kind: "pre" });
    this.#out.write(aligned(this.#table));
    this.#out.close();
    this.#out.gap(2);
    this.#table = [];
  }

  #inline(children: readonly Token[]): void {
    const cells = this.#table.at(-1);
    if (cells && cells.length > 0) cells[cells.length - 1] = children.map(wordsOf).join("");
    else for (const child of children) this.#words(child);
  }

  #words(token: Token): void {
    switch (token.type) {
      case "strong_open":
        return this.#out.open({ kind: "bold" });
      case "em_open":
        return this.#out.open({ kind: "italic" });
      case "s_open":
        return this.#out.open({ kind: "strike" });
      case "link_open":
        return this.#out.open({ kind: "link", url: attribute(token, "href") });
      case "strong_close":
      case "em_close":
      case "s_close":
      case "link_close":
        return this.#out.close();
      case "code_inline":
        this.#out.open({ kind: "code" });
        this.#out.write(token.content);
        return this.#out.close();
      case "image":
        this.#out.open({ kind: "link", url: attribute(token, "src") });
        this.#out.write(token.content || attribute(token, "src"));
        return this.#out.close();
      default:
        return this.#out.write(wordsOf(token));
    }
  }
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function wordsOf({ type, content }: Token): string {
  return type === "softbreak" || type === "hardbreak" ? "\n" : content;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\s+/g, " ")));
  const columns = Math.max(0, ...cells.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...cells.map((row) => [...(row[i] ?? "")].length)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - [...cell].length))
      .join(" | ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("-+-");
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("\n");
}
