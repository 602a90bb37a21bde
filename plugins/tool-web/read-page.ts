import type { FetchedPage } from "./fetch-page.ts";

/** A page as it is read. */
export interface ReadPage {
  readonly title: string;
  readonly text: string;
  /** Where its links lead, in the order of their numbers. */
  readonly links: readonly string[];
}

/** The readable text of what an address answered. */
export async function readPage({ type, text, url }: FetchedPage): Promise<ReadPage> {
  const isPage = /html/.test(type) || (type === "" && /^\s*(?:<!doctype html|<html)/i.test(text));
  if (!isPage) return { title: "", text, links: [] };
  const [{ pageTree }, { articleOf }, { PageText }] = await Promise.all([
    import("./page-tree.ts"),
    import("./article.ts"),
    import("./page-text.ts"),
  ]);
  const { title, base, body } = await pageTree(text);
  const address = URL.parse(base ?? "", url)?.href ?? url;
  const article = PageText.of(articleOf(body), address);
  const whole = article.text === "" ? PageText.of(body, address) : article;
  return { title, ...whole };
}
