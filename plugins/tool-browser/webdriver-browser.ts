import type { CheckedProxy, Decoy } from "@gantry/sdk/node";
import type { Browser, Element, PageView, Still, Typing, ViewElement } from "./browser.ts";
import { errors } from "./errors.ts";
import { type Found, type Given, foundIn, lookAt, nameOf, pathOf } from "./webdriver-elements.ts";
import { FIND_ELEMENTS, SELECT_OPTION, TYPE_TEXT } from "./webdriver-scripts.ts";
import { WebDriverCalls } from "./webdriver-calls.ts";
import { capabilitiesOf } from "./webdriver-capabilities.ts";
import { pastTheProxy } from "./webdriver-proof.ts";
import type { WebDriver } from "./webdriver.ts";

const ENTER = {
  actions: [
    { type: "key", id: "keys", actions: ["keyDown", "keyUp"].map((type) => ({ type, value: "\uE007" })) },
  ],
};
const MAX_FRAMES = 10;
const SCROLL = "window.scrollBy(0, Math.round(window.innerHeight * 0.9))";

export interface WebDriverOptions {
  readonly driver: WebDriver;
  /** Its own; closed with it. */
  readonly proxy: CheckedProxy;
  /** The server that it must not reach. */
  readonly decoy: Decoy;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Told of a session before it is used, and once it has ended. */
  remember(session: string): Promise<void>;
  forget(session: string): Promise<void>;
}

/** A browser that a driver started, with our proxy as its only way out. */
export class WebDriverBrowser implements Browser {
  readonly #calls: WebDriverCalls;
  readonly #proxy: CheckedProxy;
  #found: readonly Found[] = [];

  private constructor(calls: WebDriverCalls, proxy: CheckedProxy) {
    this.#calls = calls;
    this.#proxy = proxy;
  }

  /** Throws `BROWSER_DRIVER`, `BROWSER_NO_PROXY` and `BROWSER_STARTED_NOT`. */
  static async start(options: WebDriverOptions, signal: AbortSignal): Promise<WebDriverBrowser> {
    const { driver, proxy, decoy, capabilities, timeoutMs, remember, forget } = options;
    const address = `127.0.0.1:${proxy.port}`;
    const alwaysMatch = capabilitiesOf({ proxy: address, timeoutMs, given: capabilities });
    const made = await begin(driver, { capabilities: { alwaysMatch } });
    const calls = new WebDriverCalls({ driver, session: made.sessionId, timeoutMs, forget });
    try {
      await remember(made.sessionId);
      signal.throwIfAborted();
      const { httpProxy, sslProxy } = made.capabilities?.proxy ?? {};
      const isTold = httpProxy === address && sslProxy === address;
      const problem = isTold ? await pastTheProxy(calls, decoy) : "it does not say that it took it";
      if (problem !== undefined) throw errors.BROWSER_NO_PROXY(driver.address, problem);
    } catch (error) {
      await calls.end();
      throw error;
    }
    return new WebDriverBrowser(calls, proxy);
  }

  get alive(): boolean {
    return this.#calls.alive;
  }

  async open(url: string): Promise<void> {
    const problem = await this.#calls.patiently(() => this.#calls.call("POST", "/url", { url }));
    if (problem !== undefined) throw errors.BROWSER_FAILED(url, problem);
  }

  async back(): Promise<void> {
    await this.#calls.patiently(() => this.#calls.call("POST", "/back"));
  }

  click(element: number, still: Still): Promise<void> {
    return this.#on(element, async (found) => {
      still(await lookAt(this.#calls, found));
      await this.#calls.call("POST", `${pathOf(found)}/click`);
    });
  }

  type(element: number, { text, submit }: Typing, still: Still): Promise<void> {
    return this.#on(element, async (found) => {
      still(await lookAt(this.#calls, found));
      const typed = await this.#run(TYPE_TEXT, found.element, text);
      if (typed !== true) throw pageError("it takes a file");
      if (!submit) return;
      still(await lookAt(this.#calls, found));
      await this.#calls.call("POST", "/actions", ENTER);
    });
  }

  select(element: number, value: string, still: Still): Promise<void> {
    return this.#on(element, async (found) => {
      still(await lookAt(this.#calls, found));
      if ((await this.#run(SELECT_OPTION, found.element, value)) !== true)
        throw pageError(`there is no option ${value}`);
    });
  }

  async scroll(): Promise<void> {
    await this.#top();
    await this.#run(SCROLL);
  }

  async blank(): Promise<void> {
    await this.#calls.call("POST", "/url", { url: "about:blank" });
  }

  async address(): Promise<string> {
    return this.#calls.surely(() => this.#address());
  }

  view(): Promise<PageView> {
    return this.#calls.surely(() => this.#view());
  }

  async #address(): Promise<string> {
    await this.#latest();
    const url = String(await this.#calls.call("GET", "/url"));
    return url === "about:blank" || url === "data:," ? "" : url;
  }

  async look(element: number): Promise<Element> {
    let seen: Element | undefined;
    await this.#on(element, async (found) => (seen = await lookAt(this.#calls, found)));
    if (!seen) throw errors.BROWSER_INERT(element, "the page did not answer in time");
    return seen;
  }

  async #view(): Promise<PageView> {
    const url = await this.#address();
    const title = String(await this.#calls.call("GET", "/title"));
    const main = await this.#read(undefined);
    const parts = [main];
    for (let frame = 0; frame < Math.min(main.frames, MAX_FRAMES); frame++)
      parts.push(await this.#read(frame));
    await this.#top();
    this.#found = parts.flatMap(({ found }) => found);
    const notes = this.#calls.takeNotes();
    const text = parts.map((part) => part.text).join("\n\n");
    return { url, title, text, elements: parts.flatMap(({ elements }) => elements), notes };
  }

  async screenshot(): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
    return {
      bytes: Buffer.from(String(await this.#calls.call("GET", "/screenshot")), "base64"),
      mime: "image/png",
    };
  }

  async close(): Promise<void> {
    // A browser that does not end at once has no way out any more.
    await Promise.all([this.#proxy.close(), this.#calls.end()]);
  }

  async #read(frame: number | undefined): Promise<{
    readonly text: string;
    readonly frames: number;
    readonly elements: readonly ViewElement[];
    readonly found: readonly Found[];
  }> {
    const nothing = { text: "", frames: 0, elements: [], found: [] };
    try {
      await this.#into(frame);
      const { text, frames, elements } = await this.#run(FIND_ELEMENTS);
      const all = (elements as readonly Given[]).flatMap((one) => {
        const found = foundIn(one, frame);
        return found ? [{ found, value: String(one.value) }] : [];
      });
      const named = await Promise.all(all.map(({ found, value }) => nameOf(this.#calls, found, value)));
      return { text, frames, elements: named, found: all.map(({ found }) => found) };
    } catch (error) {
      return this.#calls.pass(error) ?? nothing;
    }
  }

  #run(script: string, ...args: readonly unknown[]): Promise<any> {
    return this.#calls.call("POST", "/execute/sync", { script, args });
  }

  async #on(number: number, work: (found: Found) => Promise<unknown>): Promise<void> {
    const found = this.#found[number - 1];
    if (!found) throw errors.BROWSER_ELEMENT(number);
    const problem = await this.#calls.patiently(async () => {
      await this.#into(found.frame);
      await work(found);
    });
    if (problem !== undefined) throw errors.BROWSER_INERT(number, problem);
  }

  async #into(frame: number | undefined): Promise<void> {
    await this.#top();
    if (frame !== undefined) await this.#calls.call("POST", "/frame", { id: frame });
  }

  async #top(): Promise<void> {
    await this.#calls.call("POST", "/frame", { id: null });
  }

  /** The page that was opened last is the current page. */
  async #latest(): Promise<void> {
    const handles = (await this.#calls.call("GET", "/window/handles")) as readonly string[];
    const last = handles.at(-1);
    if (last === undefined) return this.#calls.lose("its last page was closed");
    await this.#calls.call("POST", "/window", { handle: last });
  }
}

/** As a driver would say it. */
const pageError = (message: string): Error => Object.assign(new Error(message), { word: "page" });

async function begin(driver: WebDriver, wanted: Readonly<Record<string, unknown>>): Promise<any> {
  try {
    return await driver.call("POST", "/session", wanted);
  } catch (error) {
    if ((error as { readonly word?: string }).word === undefined) throw error;
    throw errors.BROWSER_STARTED_NOT(error);
  }
}
