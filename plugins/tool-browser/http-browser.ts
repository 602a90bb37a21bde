import { GantryError } from "@gantry/sdk";
import type { Pages, WebPage } from "@gantry/sdk/fill";
import type { Browser, Element, PageView, Still, Typing } from "./browser.ts";
import { errors } from "./errors.ts";
import { HttpForms } from "./http-forms.ts";

interface Opened extends WebPage {
  readonly filled: HttpForms;
}

/**
 * Reads pages by GET, follows their links and sends their forms by GET; runs no script and keeps no
 * cookie.
 */
export class HttpBrowser implements Browser {
  readonly #pages: Pages;
  readonly #signal: AbortSignal;
  readonly #before: Opened[] = [];
  #page: Opened | undefined;

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
    this.#page = { ...page, filled: new HttpForms(page.forms) };
  }

  async back(): Promise<void> {
    this.#page = this.#before.pop() ?? this.#page;
  }

  async click(element: number, still: Still): Promise<void> {
    still(await this.look(element));
    const address = this.#page?.links[element - 1] ?? this.#fill(element, (forms, at) => forms.click(at));
    if (address !== undefined) await this.open(address);
  }

  async look(element: number): Promise<Element> {
    const { url: at = "", links = [], filled } = this.#page ?? {};
    const link = links[element - 1];
    if (link !== undefined) return { role: "link", name: link, at, leadsTo: link, key: String(element) };
    const found = filled?.look(element - 1 - links.length);
    if (!found) throw errors.BROWSER_ELEMENT(element);
    return { ...found, at, key: `${element} ${found.value ?? ""} ${found.sends}` };
  }

  async type(element: number, { text, submit }: Typing, still: Still): Promise<void> {
    still(await this.look(element));
    const address = this.#fill(element, (forms, at) => forms.type(at, text, submit));
    if (address !== undefined) await this.open(address);
  }

  async select(element: number, value: string, still: Still): Promise<void> {
    still(await this.look(element));
    this.#fill(element, (forms, at) => forms.select(at, value));
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
    const { url, title, text, links, filled, status, cut } = this.#page;
    const notes = [
      ...(status >= 400 ? [`HTTP ${status}`] : []),
      ...(cut ? ["the page is longer than what was read"] : []),
    ];
    const elements = [...links.map((name) => ({ role: "link", name })), ...filled.elements];
    return { url, title, text, elements, notes };
  }

  async close(): Promise<void> {
    this.#page = undefined;
  }

  /** Fields are numbered after the links. */
  #fill<T>(element: number, work: (forms: HttpForms, at: number) => T): T {
    const { links = [], filled } = this.#page ?? {};
    const at = element - 1 - links.length;
    if (!filled?.look(at)) throw errors.BROWSER_ELEMENT(element);
    try {
      return work(filled, at);
    } catch (error) {
      throw error instanceof GantryError ? error : errors.BROWSER_INERT(element, error);
    }
  }
}
