import type { MarkdownIt, Token } from "markdown-it";

/**
 * A text, or a form with what stands in it: `["p", "text", ["strong", "more"]]`; a link has its
 * address second.
 */
export type TreeNode = string | readonly TreeNode[];

/** A longer text is shown as it is: reading its form would keep the service busy. */
const mostRead = 20_000;
/** The characters of several texts whose form is read; what is beyond is shown as it is. */
const mostReadTogether = 60_000;

/** Addresses that a page may offer to open. */
const harmless = /^(?:https?:\/\/|mailto:)/i;

const kinds: Readonly<Record<string, string>> = {
  paragraph: "p",
  blockquote: "blockquote",
  bullet_list: "ul",
  ordered_list: "ol",
  list_item: "li",
  table: "table",
  thead: "thead",
  tbody: "tbody",
  tr: "tr",
  th: "th",
  td: "td",
  strong: "strong",
  em: "em",
  s: "s",
};

let parser: Promise<MarkdownIt> | undefined;

/**
 * Reads Markdown into a tree. HTML stays text, and of a picture its address is offered as a link.
 */
export async function answerTree(markdown: string): Promise<readonly TreeNode[]> {
  if (markdown.length > mostRead) return [["pre", markdown]];
  try {
    parser ??= loadParser();
    return new TreeBuilder().build((await parser).parse(markdown, {}));
  } catch {
    return [["pre", markdown]];
  }
}

/** Reads texts of one request into their trees, and lets others have their turn between them. */
export async function answerTrees(texts: readonly string[]): Promise<readonly (readonly TreeNode[])[]> {
  const trees: (readonly TreeNode[])[] = [];
  let left = mostReadTogether;
  for (const text of texts) {
    const isRead = text.length <= Math.min(left, mostRead);
    if (isRead) left -= text.length;
    trees.push(isRead ? await answerTree(text) : [["pre", text]]);
    if (isRead) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return trees;
}

async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import("markdown-it");
  return new Parser({ html: false, linkify: false }).disable("reference");
}

type Open = TreeNode[];

/** Walks the tokens; what is open stands on a stack, its root first. */
class TreeBuilder {
  readonly #open: Open[] = [["root"]];

  build(tokens: readonly Token[]): readonly TreeNode[] {
    for (const token of tokens) this.#take(token);
    const [, ...content] = this.#open[0] as Open;
    return content;
  }

  #take(token: Token): void {
    const { type, content } = token;
    if (type === "inline") for (const child of token.children ?? []) this.#take(child);
    else if (type.endsWith("_open")) this.#begin(token);
    else if (type.endsWith("_close")) this.#end(token);
    else if (type === "fence" || type === "code_block") this.#add(["pre", content.replace(/\n$/, "")]);
    else if (type === "code_inline") this.#add(["code", content]);
    else if (type === "hr") this.#add(["hr"]);
    else if (type === "softbreak" || type === "hardbreak") this.#add(["br"]);
    else if (type === "image") this.#add(linkTo(token, "src", content));
    else if (content !== "") this.#add(content);
  }

  #begin(token: Token): void {
    const name = token.type.slice(0, -"_open".length);
    // The words of a tight list stand in its items.
    if (name === "paragraph" && token.hidden) this.#open.push([""]);
    else if (name === "heading") this.#open.push([token.tag]);
    else if (name === "link") this.#open.push(linkTo(token, "href"));
    else this.#open.push([kinds[name] ?? "span"]);
  }

  #end(token: Token): void {
    const done = this.#open.pop() as Open;
    if (token.hidden) for (const node of done.slice(1)) this.#add(node);
    else this.#add(done);
  }

  #add(node: TreeNode): void {
    (this.#open.at(-1) as Open).push(node);
  }
}

function linkTo(token: Token, attribute: "href" | "src", words?: string): Open {
  const address = String(token.attrGet(attribute) ?? "");
  const shown = words === undefined ? [] : [words || address];
  return harmless.test(address) ? ["a", address, ...shown] : ["span", ...shown];
}
