import { GantryError, type OpenProcess } from "@gantry/sdk";
import type { Browser, Element, PageView, Still, Typing } from "./browser.ts";
import type { Cdp } from "./cdp.ts";
import { ChromiumPage } from "./chromium-page.ts";
import { type PageNode, type Snapshot, takeSnapshot } from "./chromium-snapshot.ts";
import { errors } from "./errors.ts";

export interface AttachOptions {
  /** With the credential that the proxy asks for. */
  readonly proxy: string | undefined;
  readonly downloads: string | undefined;
  readonly timeoutMs: number;
}

/** Pages that scripts and links open; the oldest go. */
const MAX_PAGES = 6;
const MAX_NOTES = 20;
/** A page with more would hold its conversation up for good. */
const MAX_DIALOGS = 30;
const ENDED = "a script of the page did not come to its end and was stopped";
const QUALITY = 70;

/** A Chromium that is spoken to over pipes; what the last page opened is the page. */
export class ChromiumBrowser implements Browser {
  readonly #cdp: Cdp;
  readonly #process: OpenProcess;
  readonly #options: AttachOptions;
  readonly #pages: ChromiumPage[] = [];
  readonly #first = Promise.withResolvers<void>();
  #notes: string[] = [];
  /** Since the page was last looked at. */
  #dialogs = 0;
  #seen: Snapshot["elements"] = [];

  private constructor(cdp: Cdp, options: AttachOptions, process: OpenProcess) {
    this.#cdp = cdp;
    this.#options = options;
    this.#process = process;
  }

  static async attach(cdp: Cdp, options: AttachOptions, process: OpenProcess): Promise<ChromiumBrowser> {
    const browser = new ChromiumBrowser(cdp, options, process);
    browser.#listen();
    const { downloads } = options;
    const behavior =
      downloads === undefined ? { behavior: "deny" } : { behavior: "allow", downloadPath: downloads };
    await cdp.send("Browser.setDownloadBehavior", { ...behavior, eventsEnabled: true });
    await cdp.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    void process.ended.then(() => browser.#first.reject(errors.BROWSER_LOST("it ended")));
    await browser.#first.promise;
    return browser;
  }

  get alive(): boolean {
    return this.#cdp.alive;
  }

  async open(url: string): Promise<void> {
    const problem = await this.#page.navigate(url);
    if (problem !== undefined) throw errors.BROWSER_FAILED(url, problem);
  }

  async back(): Promise<void> {
    const page = this.#page;
    if ((await page.back()) || this.#pages.length === 1) return;
    this.#pages.pop();
    await page.close();
  }

  click(element: number, still: Still): Promise<void> {
    return this.#on(element, (page, node) => page.click(node, still));
  }

  type(element: number, typing: Typing, still: Still): Promise<void> {
    return this.#on(element, (page, node) => page.type(node, typing, still));
  }

  select(element: number, value: string, still: Still): Promise<void> {
    return this.#on(element, (page, node) => page.select(node, value, still));
  }

  scroll(): Promise<void> {
    return this.#page.scroll();
  }

  blank(): Promise<void> {
    return this.#page.blank();
  }

  address(): Promise<string> {
    return this.#page.address();
  }

  look(element: number): Promise<Element> {
    return this.#with(element, (page, node) => page.look(node));
  }

  async view(): Promise<PageView> {
    const page = this.#page;
    const url = await page.address();
    const { title, text, elements } = await takeSnapshot(this.#cdp, page.session);
    this.#seen = elements;
    const notes = [...page.takeNotes(), ...this.#notes];
    this.#notes = [];
    this.#dialogs = 0;
    return { url, title, text, elements, notes };
  }

  async screenshot(): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
    const options = { format: "jpeg", quality: QUALITY };
    const { data } = await this.#cdp.send("Page.captureScreenshot", options, this.#page.session);
    return { bytes: Buffer.from(String(data), "base64"), mime: "image/jpeg" };
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  get #page(): ChromiumPage {
    const page = this.#pages.at(-1);
    if (!page) throw errors.BROWSER_LOST("its last page was closed");
    return page;
  }

  async #on(element: number, work: (page: ChromiumPage, node: PageNode) => Promise<void>): Promise<void> {
    await this.#with(element, work);
    // A page that it opened comes up a moment later.
    await this.#page.settle();
  }

  async #with<T>(element: number, work: (page: ChromiumPage, node: PageNode) => Promise<T>): Promise<T> {
    const found = this.#seen[element - 1];
    if (!found) throw errors.BROWSER_ELEMENT(element);
    try {
      return await work(this.#page, found.node);
    } catch (error) {
      if (!this.alive || error instanceof GantryError) throw error;
      throw errors.BROWSER_INERT(element, error);
    }
  }

  #listen(): void {
    const cdp = this.#cdp;
    const pageOf = (session: string) => this.#pages.find((page) => page.session === session);
    cdp.on("Target.attachedToTarget", ({ sessionId, targetInfo }) =>
      this.#attach(String(sessionId), targetInfo),
    );
    cdp.on("Target.detachedFromTarget", ({ sessionId }) => {
      const at = this.#pages.findIndex((page) => page.session === sessionId);
      if (at >= 0) this.#pages.splice(at, 1);
    });
    cdp.on("Fetch.requestPaused", ({ requestId }, session) =>
      cdp.tell("Fetch.continueRequest", { requestId }, session),
    );
    cdp.on("Fetch.authRequired", ({ requestId, authChallenge }, session) => {
      const { username = "", password = "" } = this.#options.proxy ? new URL(this.#options.proxy) : {};
      const isProxy = authChallenge.source === "Proxy" && username !== "";
      const response = isProxy ? "ProvideCredentials" : "CancelAuth";
      const authChallengeResponse = { response, ...(isProxy && { username, password }) };
      cdp.tell("Fetch.continueWithAuth", { requestId, authChallengeResponse }, session);
    });
    cdp.on("Page.frameStartedLoading", ({ frameId }, session) => pageOf(session)?.started(String(frameId)));
    cdp.on("Page.frameStoppedLoading", ({ frameId }, session) => pageOf(session)?.stopped(String(frameId)));
    cdp.on("Page.javascriptDialogOpening", ({ type, message }, session) => {
      const leaving = type === "beforeunload";
      if (++this.#dialogs > MAX_DIALOGS) return cdp.lose("its page opened dialogs without end");
      cdp.tell("Page.handleJavaScriptDialog", { accept: leaving }, session);
      if (!leaving)
        this.#note(
          `a dialog (${type}) said ${JSON.stringify(String(message).slice(0, 300))} and was dismissed`,
        );
    });
    cdp.on("Browser.downloadWillBegin", ({ suggestedFilename }) => {
      const { downloads } = this.#options;
      const name = JSON.stringify(String(suggestedFilename).slice(0, 200));
      this.#note(
        downloads === undefined
          ? `the download of ${name} was refused: tools.browser_downloads names no folder`
          : `${name} is downloaded to ${downloads}`,
      );
    });
    cdp.whenSlow((session) => this.#endScript(session));
    cdp.on("Inspector.targetCrashed", () => void this.#process.close());
  }

  #attach(session: string, { type, targetId }: Readonly<Record<string, unknown>>): void {
    if (type !== "page") return this.#cdp.tell("Runtime.runIfWaitingForDebugger", {}, session);
    const page = new ChromiumPage(this.#cdp, session, String(targetId), this.#options.timeoutMs);
    this.#pages.push(page);
    if (this.#pages.length > MAX_PAGES) void this.#pages[1]!.close().catch(() => undefined);
    void page.prepare().then(this.#first.resolve, this.#first.reject);
  }

  #endScript(session: string): void {
    this.#cdp.tell("Runtime.terminateExecution", {}, session);
    this.#note(ENDED);
  }

  #note(text: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(text);
  }
}
