import type { WebForm } from "@gantry/sdk";
import { type ApartBounds, workApart } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { FetchedPage } from "./fetch-page.ts";

/** A page as it is read. */
export interface ReadPage {
  readonly title: string;
  readonly text: string;
  /** Where its links lead, in the order of their numbers. */
  readonly links: readonly string[];
  readonly forms: readonly WebForm[];
  /** True where the text is longer. */
  readonly cut: boolean;
}

/** What `page-worker.ts` is given. */
export interface PageToRead {
  readonly html: string;
  readonly url: string;
  /** Whether its words alone are wanted. */
  readonly isPlain: boolean;
}

/** Reads pages outside of the service. */
export class PageReader {
  readonly #base: string;
  readonly #bounds: ApartBounds;

  /** `base`: the `import.meta.url` of the index, beside which the worker stands. */
  constructor(base: string, bounds: ApartBounds) {
    this.#base = base;
    this.#bounds = bounds;
  }

  /**
   * The readable text of what an address answered; its words alone, and a sentence that says so, where its making holds the
   * reader up. Throws `WEB_UNREADABLE` where that does too.
   */
  async read({ type, text, url }: FetchedPage, signal: AbortSignal): Promise<ReadPage> {
    const isPage = /html/.test(type) || (type === "" && /^\s*(?:<!doctype html|<html)/i.test(text));
    if (!isPage) return { title: "", text, links: [], forms: [], cut: false };
    const page = await this.#work({ html: text, url, isPlain: false }, signal);
    if (page) return page;
    const { cpuSeconds, memoryMb } = this.#bounds;
    const unreadable = errors.WEB_UNREADABLE(url, cpuSeconds, memoryMb);
    const plain = await this.#work({ html: text, url, isPlain: true }, signal);
    if (!plain) throw unreadable;
    return {
      ...plain,
      text: `[${unreadable.code}: ${unreadable.message} What follows are its words.]\n\n${plain.text}`,
    };
  }

  async #work(page: PageToRead, signal: AbortSignal): Promise<ReadPage | undefined> {
    const input = JSON.stringify(page);
    const output = await workApart({
      base: this.#base,
      name: "page-worker",
      input,
      signal,
      ...this.#bounds,
    });
    return output === undefined ? undefined : (JSON.parse(output) as ReadPage);
  }
}
