import type { WebForm } from "@gantry/sdk/fill";
import { type ApartBounds, workApart } from "@gantry/sdk/node";
import type { Static } from "typebox";
import { type BodyFacts, MAX_TEXT, plainText, typeOf } from "./body.ts";
import { errors } from "./errors.ts";
import type { FetchedPage } from "./fetch-page.ts";
import type { unread } from "./page-answers.ts";

const SHOWN_ENCODING = 40;

/** The most bytes of a character in UTF-8, for one unit of a string. */
const MAX_CHARACTER = 3;

/** A page as it is read. */
export interface ReadPage {
  readonly title: string;
  readonly text: string;
  /** The addresses of its links, in the order of their numbers. */
  readonly links: readonly string[];
  readonly forms: readonly WebForm[];
  /** True if the text is longer. */
  readonly cut: boolean;
}

/** Why there is nothing to read. */
export type Unread = Static<typeof unread>;

/** The facts that `page-worker.ts` gets of its bytes. */
export interface PageToRead extends BodyFacts {
  readonly url: string;
  /** True if only its words are wanted. */
  readonly isPlain: boolean;
}

export interface ReaderOptions {
  /** The `import.meta.url` of the index, beside which the worker stands. */
  readonly base: string;
  readonly bounds: ApartBounds;
  /** As in `Sandbox`. */
  readonly confining: string | undefined;
  /** The plugin's signal. */
  readonly signal: AbortSignal;
}

/** Reads pages outside of the service. */
export class PageReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the readable text of what an address answered; its words alone, and a sentence that
   * says so, if its making holds the reader up. Throws `WEB_UNREADABLE` if they do too,
   * `WEB_NOT_TEXT` and `WEB_GARBLED`.
   */
  async read(fetched: FetchedPage, signal: AbortSignal): Promise<ReadPage> {
    const text = plainText(fetched, fetched.body);
    if (text !== undefined) return { title: "", text, links: [], forms: [], cut: false };
    const page = await this.#work(fetched, false, signal);
    if (page) return page;
    const { cpuSeconds, memoryMb } = this.#options.bounds;
    const unreadable = errors.WEB_UNREADABLE(fetched.url, cpuSeconds, memoryMb);
    const plain = await this.#work(fetched, true, signal);
    if (!plain) throw unreadable;
    return {
      ...plain,
      text: `[${unreadable.code}: ${unreadable.message} What follows are its words.]\n\n${plain.text}`,
    };
  }

  async #work(
    { url, contentType, encoding, body }: FetchedPage,
    isPlain: boolean,
    signal: AbortSignal,
  ): Promise<ReadPage | undefined> {
    const { bounds, signal: living, ...place } = this.#options;
    const facts: PageToRead = { url, contentType, encoding, isPlain };
    const { answers } = await import("./page-answers.ts");
    const answer = await workApart({
      ...place,
      ...bounds,
      name: "page-worker",
      input: { facts, bytes: body },
      answers,
      signal: AbortSignal.any([signal, living]),
    });
    if (!answer) return undefined;
    const read = answer.facts;
    const text = new TextDecoder().decode(answer.bytes.subarray(0, MAX_TEXT * MAX_CHARACTER));
    if (!("unread" in read)) return { ...read, text };
    if (read.unread === "garbled") throw errors.WEB_GARBLED(url, whyGarbled(encoding));
    throw errors.WEB_NOT_TEXT(url, typeOf({ contentType, encoding }) || "no text");
  }
}

/** The name of an encoding is whatever a server sends. */
function whyGarbled(encoding: string): string {
  return /^(?:x-gzip|gzip|deflate)$/.test(encoding)
    ? `broken ${encoding}, or more than it may unpack to`
    : `it is packed as ${encoding.slice(0, SHOWN_ENCODING)}, which was not asked for and is not decoded`;
}
