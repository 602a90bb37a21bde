/** One thing that can be acted on, or read, in the order of the page. */
export interface ViewElement {
  /** As the accessibility tree names it: `button`, `link`, `textbox`. */
  readonly role: string;
  readonly name: string;
  /** What it holds, or whether it is checked. */
  readonly value?: string;
}

/** A page as the model sees it; elements are numbered from 1. */
export interface PageView {
  /** After redirects; "" while no page is open. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly elements: readonly ViewElement[];
  /** What happened on the way: dialogs, downloads, a page that did not finish. */
  readonly notes: readonly string[];
}

/** The browser of one conversation. Every member throws coded errors, `BROWSER_LOST` where the browser has ended. */
export interface Browser {
  /** False once it has ended, however it ended. */
  readonly alive: boolean;
  open(url: string): Promise<void>;
  back(): Promise<void>;
  /** Elements are those of the last view. */
  click(element: number): Promise<void>;
  type(element: number, text: string, submit: boolean): Promise<void>;
  select(element: number, value: string): Promise<void>;
  scroll(): Promise<void>;
  /** Leaves the page for an empty one. */
  blank(): Promise<void>;
  /** The address of the page as it is now, "" where none is open. */
  address(): Promise<string>;
  /** Where a click on this element is known to lead. */
  leadsTo(element: number): string | undefined;
  view(): Promise<PageView>;
  /** A picture of what can be seen, with its media type. */
  screenshot(): Promise<{ readonly bytes: Uint8Array; readonly mime: string }>;
  close(): Promise<void>;
}

/** Starts the browser of a conversation; ended with `signal`. */
export type StartBrowser = (signal: AbortSignal) => Promise<Browser>;
