import { feedMarkup } from "../shared/feed-markup.ts";
import { Parser } from "htmlparser2";
import { PageForms } from "./page-forms.ts";

/** An element of a page, as far as its text is of interest. */
export interface PageElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (PageElement | string)[];
}

/** Elements nested deeper are read as part of the last one that counts. */
const MAX_DEPTH = 200;

/** Without text for a reader. */
const DROPPED = new Set(
  "script style noscript template svg math iframe object embed canvas audio video map head button select textarea input dialog".split(
    " ",
  ),
);

export interface PageTree {
  readonly title: string;
  /** Against which relative addresses count. */
  readonly base: string | undefined;
  readonly body: PageElement;
  readonly forms: PageForms;
}

/** The elements of a page, read in one go whatever they hold. */
export function pageTree(html: string): PageTree {
  const body: PageElement = { tag: "body", attributes: {}, children: [] };
  const open: PageElement[] = [body];
  const forms = new PageForms();
  let [title, base, inTitle, dropped, deeper, nested] = ["", undefined as string | undefined, false, 0, 0, 0];
  const parser = new Parser(
    {
      onreset() {
        [inTitle, dropped, deeper, nested] = [false, 0, 0, 0];
        open.length = 1;
      },
      onopentag(tag, attributes) {
        nested++;
        forms.open(tag, attributes);
        if (tag === "title" && title === "") inTitle = true;
        if (tag === "base") base ??= attributes["href"];
        if (dropped > 0 || DROPPED.has(tag) || isHidden(tag, attributes)) dropped++;
        else if (open.length > MAX_DEPTH) deeper++;
        else {
          const element = { tag, attributes, children: [] };
          open.at(-1)!.children.push(element);
          open.push(element);
        }
      },
      ontext(text) {
        forms.text(text);
        if (inTitle) title += text;
        else if (dropped === 0) open.at(-1)!.children.push(text);
      },
      onclosetag(tag) {
        nested--;
        forms.close(tag);
        if (tag === "title") inTitle = false;
        if (dropped > 0) dropped--;
        else if (deeper > 0) deeper--;
        else if (open.length > 1) open.pop();
      },
    },
    { decodeEntities: true },
  );
  for (const _ of feedMarkup(html, parser, () => nested)) continue;
  return { title: title.replace(/\s+/g, " ").trim(), base, body, forms };
}

/** The words of a page without its elements. */
export function wordsOf(html: string): string {
  return html.replace(/<[^<>]*>?/g, " ").replace(/\s+/g, " ");
}

function isHidden(tag: string, attributes: Readonly<Record<string, string>>): boolean {
  // Pages hide themselves until their scripts have run.
  if (tag === "html" || tag === "body") return false;
  return (
    "hidden" in attributes ||
    attributes["aria-hidden"] === "true" ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes["style"] ?? "")
  );
}
