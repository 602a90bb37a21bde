import type { Pages, WebPage } from "@gantry/sdk";
import type { Browser, PageView } from "./browser.ts";
import { errors } from "./errors.ts";

/** Reads pages by GET and follows their links; runs no script and keeps no cookie. */
export class HttpBrowser implements Browser {
  readonly #pages: Pages;
  readonly #signal: AbortSignal;
  readonly #before: WebPage[] = [];
  #page: WebPage | undefined;

  constructor(pages: Pages, signal: AbortSignal) {
    this.#pages = pages;
    this.#signal = signal;
  }

  get alive(): boolean {
    return !this.#signal.aborted;
  }

  async open(url: string): Promise<void> {
    const page = await this.#pages.read(url, this.#signal);
    if (this.#page) this.#before.push(this.#page);
    this.#page = page;
  }

  async back(): Promise<void> {
    this.#page = this.#before.pop() ?? this.#page;
  }

  async click(element: number): Promise<void> {
    const link = this.leadsTo(element);
    if (link === undefined) throw errors.BROWSER_ELEMENT(element);
    await this.open(link);
  }

  leadsTo(element: number): string | undefined {
    return this.#page?.links[element - 1];
  }

  async type(): Promise<void> {
    throw errors.BROWSER_CANNOT("type");
  }

  async select(): Promise<void> {
    throw errors.BROWSER_CANNOT("select");
  }

  async scroll(): Promise<void> {
    throw errors.BROWSER_CANNOT("scroll");
  }

  async screenshot(): Promise<never> {
    throw errors.BROWSER_CANNOT("take a screenshot");
  }

  async blank(): Promise<void> {
    this.#page = undefined;
  }

  async address(): Promise<string> {
    return this.#page?.url ?? "";
  }

  async view(): Promise<PageView> {
    if (!this.#page) return { url: "", title: "", text: "", elements: [], notes: [] };
    const { url, title, text, links, status, cut } = this.#page;
    const notes = [
      ...(status >= 400 ? [`HTTP ${status}`] : []),
      ...(cut ? ["the page is longer than what was read"] : []),
    ];
    return { url, title, text, elements: links.map((name) => ({ role: "link", name })), notes };
  }

  async close(): Promise<void> {
    this.#page = undefined;
  }
}
