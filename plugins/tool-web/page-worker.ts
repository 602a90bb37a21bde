import { text } from "node:stream/consumers";
import { articleOf } from "./article.ts";
import { PageText } from "./page-text.ts";
import { pageTree, plainText } from "./page-tree.ts";
import type { PageToRead, ReadPage } from "./read-page.ts";

/** More than a page can hold that says each thing once. */
const MAX_TEXT = 4 * 1024 * 1024;

const { html, url, isPlain } = JSON.parse(await text(process.stdin)) as PageToRead;
const page = isPlain ? { title: "", text: plainText(html), links: [], forms: [] } : readable();
const read: ReadPage = { ...page, text: page.text.slice(0, MAX_TEXT), cut: page.text.length > MAX_TEXT };
process.stdout.write(JSON.stringify(read));

function readable(): Omit<ReadPage, "cut"> {
  const { title, base, body, forms } = pageTree(html);
  const address = URL.parse(base ?? "", url)?.href ?? url;
  const article = PageText.of(articleOf(body), address);
  const read = article.text === "" ? PageText.of(body, address) : article;
  return { title, ...read, forms: forms.all(address, url) };
}
