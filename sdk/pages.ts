import { one } from "./slot.ts";
import { having } from "./shape.ts";

/** A page as it is read. */
export interface WebPage {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Where its links lead; the text names the first as `[1]`. */
  readonly links: readonly string[];
  /** True where only the beginning was read. */
  readonly cut: boolean;
}

/** Reads pages by GET through the checked way out; no script of a page runs. */
export interface Pages {
  /** Throws `NET_*` and the reader's own coded errors. */
  read(url: string, signal: AbortSignal): Promise<WebPage>;
}
export const Pages = one<Pages>("pages", having("read"));
