/** One thing that can be acted on, or read, in the order of the page. */
export interface ViewElement {
  /** As the accessibility tree names it: `button`, `link`, `textbox`. */
  readonly role: string;
  readonly name: string;
  /** Its content, or its state if it can be checked. */
  readonly value?: string;
}

/** A page as the model sees it; elements are numbered from 1. */
export interface PageView {
  /** After redirects; "" while no page is open. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly elements: readonly ViewElement[];
  /** Events on the way: dialogs, downloads, a page that did not finish. */
  readonly notes: readonly string[];
}

/** One element as it is now, for whoever decides on an action. */
export interface Element {
  readonly role: string;
  readonly name: string;
  /** The address of its document: of the page, or of a frame in it. */
  readonly at: string;
  /**
   * The address to which a click, or Enter in its form, is known to lead; scripts may lead
   * elsewhere.
   */
  readonly leadsTo?: string;
  /** The method by which its form is sent there, in capitals. */
  readonly method?: string;
  /** Which one of all elements it is, and its state as far as that decides what an action does. */
  readonly key: string;
}

export interface Typing {
  readonly text: string;
  /** True if Enter is pressed afterwards. */
  readonly submit: boolean;
}

/** Throws `BROWSER_CHANGED` where the element is not the one any more that was decided on. */
export type Still = (now: Element) => void;

/**
 * The browser of one conversation. Every member throws coded errors, `BROWSER_LOST` where the
 * browser has ended.
 */
export interface Browser {
  /** False once it has ended, however it ended. */
  readonly alive: boolean;
  open(url: string): Promise<void>;
  back(): Promise<void>;
  /**
   * Elements are those of the last view; as late as it can, each action shows `still` what it is
   * about to act on.
   */
  click(element: number, still: Still): Promise<void>;
  type(element: number, typing: Typing, still: Still): Promise<void>;
  select(element: number, value: string, still: Still): Promise<void>;
  scroll(): Promise<void>;
  /** Leaves the page for an empty one. */
  blank(): Promise<void>;
  /** The address of the page as it is now, "" where none is open. */
  address(): Promise<string>;
  /** Throws `BROWSER_ELEMENT`, and `BROWSER_INERT` where it is gone. */
  look(element: number): Promise<Element>;
  view(): Promise<PageView>;
  /** A picture of what can be seen, with its media type. */
  screenshot(): Promise<{ readonly bytes: Uint8Array; readonly mime: string }>;
  close(): Promise<void>;
}

/** Starts the browser of a conversation; ended with `signal`. */
export type StartBrowser = (signal: AbortSignal) => Promise<Browser>;
