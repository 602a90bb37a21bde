import { answerApart, MAX_FACTS } from "@gantry/sdk/node";
import { articleOf } from "./article.ts";
import { MAX_BYTES, MAX_TEXT, isPage, isText, typeOf } from "./body.ts";
import { charsetOf, decoded } from "./charset.ts";
import { PageText } from "./page-text.ts";
import { pageTree, wordsOf } from "./page-tree.ts";
import type { PageToRead, ReadPage, Unread } from "./read-page.ts";
import { unpack } from "./unpack.ts";

await answerApart(({ facts: asked, bytes }) => {
  const page = read(asked as PageToRead, bytes);
  if ("unread" in page) return { facts: page };
  const { text, ...facts } = page;
  const isLarge = Buffer.byteLength(JSON.stringify(facts)) > MAX_FACTS;
  return { facts: isLarge ? { ...facts, links: [], forms: [], cut: true } : facts, bytes: Buffer.from(text) };
});

function read(page: PageToRead, body: Uint8Array): ReadPage | Unread {
  const data = unpack(body, page.encoding);
  if (!data) return { unread: "garbled" };
  const type = typeOf(page);
  if (!isText(type, data)) return { unread: "no text" };
  const html = decoded(data.subarray(0, MAX_BYTES), charsetOf(page.contentType, data));
  const made = isPage(type, html) && !page.isPlain ? readable(html, page.url) : plain(type, html);
  const cut = data.length > MAX_BYTES || made.text.length > MAX_TEXT;
  return { ...made, text: made.text.slice(0, MAX_TEXT), cut };
}

function plain(type: string, text: string): Omit<ReadPage, "cut"> {
  return { title: "", text: isPage(type, text) ? wordsOf(text) : text, links: [], forms: [] };
}

function readable(html: string, url: string): Omit<ReadPage, "cut"> {
  const { title, base, body, forms } = pageTree(html);
  const address = URL.parse(base ?? "", url)?.href ?? url;
  const article = PageText.of(articleOf(body), address);
  const read = article.text === "" ? PageText.of(body, address) : article;
  return { title, ...read, forms: forms.all(address, url) };
}
