import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/** A page as it is read. */
export interface WebPage {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** The addresses of its links; the text names the first as `[1]`. */
  readonly links: readonly string[];
  readonly forms: readonly WebForm[];
  /** True if only the beginning was read. */
  readonly cut: boolean;
}

/** A form of a page. */
export interface WebForm {
  /** The address that it is sent to. */
  readonly url: string;
  /** In capitals. */
  readonly method: string;
  readonly fields: readonly WebField[];
}

/** One field of a form, as it stood in the page. */
export interface WebField {
  readonly kind: "text" | "choice" | "check" | "radio" | "button" | "hidden";
  readonly name: string;
  /** The words that a person reads beside it. */
  readonly label: string;
  readonly value: string;
  /** True if it was marked; for `check` and `radio`. */
  readonly isChosen: boolean;
  /** For `choice`. */
  readonly options: readonly { readonly label: string; readonly value: string }[];
}

/** Reads pages by GET through the checked way out; no script of a page runs. */
export interface Pages {
  /** Throws `NET_*` and the reader's own coded errors. */
  read(url: string, signal: AbortSignal): Promise<WebPage>;
}
export const Pages = one<Pages>("pages", having("read"));
