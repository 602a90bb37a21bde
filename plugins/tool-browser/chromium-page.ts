import type { Cdp } from "./cdp.ts";

/** What an action sets off shows within so long. */
const STARTS_MS = 250;
const LOOK_MS = 25;

/** One page of a Chromium. */
export class ChromiumPage {
  readonly session: string;
  readonly #cdp: Cdp;
  readonly #main: string;
  readonly #timeoutMs: number;
  readonly #loading = new Set<string>();
  #notes: string[] = [];
  #starts = 0;

  /** `main`: the id of its target, which is that of its main frame. */
  constructor(cdp: Cdp, session: string, main: string, timeoutMs: number) {
    this.#main = main;
    this.#cdp = cdp;
    this.session = session;
    this.#timeoutMs = timeoutMs;
  }

  /** In this order nothing of it is requested before it is looked after. */
  async prepare(): Promise<void> {
    this.#cdp.tell(
      "Fetch.enable",
      { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] },
      this.session,
    );
    this.#cdp.tell("Page.enable", {}, this.session);
    await this.#send("Runtime.runIfWaitingForDebugger");
  }

  started(frame: string): void {
    this.#loading.add(frame);
    this.#starts++;
  }

  stopped(frame: string): void {
    this.#loading.delete(frame);
  }

  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  /** What went wrong, in the browser's words; undefined where the page came, whole or not. */
  async navigate(url: string): Promise<string | undefined> {
    const late = Symbol("late");
    const { promise, resolve } = Promise.withResolvers<typeof late>();
    const timer = setTimeout(() => resolve(late), this.#timeoutMs);
    try {
      const answer = await Promise.race([this.#send("Page.navigate", { url }), promise]);
      if (answer === late) {
        await this.#stop();
        return `it did not answer within ${this.#timeoutMs / 1000} s`;
      }
      if (answer["isDownload"] === true) return undefined;
      if (typeof answer["errorText"] === "string" && answer["errorText"] !== "")
        return answer["errorText"] === "net::ERR_ABORTED" ? undefined : answer["errorText"];
    } finally {
      clearTimeout(timer);
    }
    await this.settle();
    return undefined;
  }

  /** False where there is nothing to go back to. */
  async back(): Promise<boolean> {
    const { currentIndex, entries } = await this.#send("Page.getNavigationHistory");
    const entry = entries[currentIndex - 1];
    if (!entry || entry.url === "about:blank") return false;
    await this.#send("Page.navigateToHistoryEntry", { entryId: entry.id });
    await this.settle();
    return true;
  }

  async click(node: number): Promise<void> {
    const target = { backendNodeId: node };
    await this.#send("DOM.scrollIntoViewIfNeeded", target);
    const { quads } = await this.#send("DOM.getContentQuads", target);
    const quad = (quads as readonly (readonly number[])[])[0];
    if (!quad) throw new Error("it cannot be seen");
    const middle = (first: number): number =>
      [0, 2, 4, 6].reduce((sum, at) => sum + quad[first + at]!, 0) / 4;
    const at = { x: middle(0), y: middle(1), button: "left", clickCount: 1 };
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.#send("Input.dispatchMouseEvent", { type, ...at });
    await this.settle();
  }

  async type(node: number, text: string, submit: boolean): Promise<void> {
    await this.#send("DOM.focus", { backendNodeId: node });
    await this.#call(
      node,
      "function () { this.select ? this.select() : document.getSelection().selectAllChildren(this); }",
    );
    await this.#send("Input.insertText", { text });
    if (!submit) return;
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    await this.settle();
  }

  async select(node: number, value: string): Promise<void> {
    const choose = `function (wanted) {
      const option = [...(this.options ?? [])].find((one) => one.label.trim() === wanted.trim() || one.value === wanted);
      if (!option) return false;
      this.value = option.value;
      for (const type of ["input", "change"]) this.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    }`;
    if ((await this.#call(node, choose, value)) !== true) throw new Error(`there is no option ${value}`);
    await this.settle();
  }

  async scroll(): Promise<void> {
    const expression = "window.scrollBy(0, Math.round(window.innerHeight * 0.9))";
    await this.#send("Runtime.evaluate", { expression });
    await this.settle();
  }

  async blank(): Promise<void> {
    await this.#send("Page.navigate", { url: "about:blank" });
    await this.settle();
  }

  async address(): Promise<string> {
    const { frame } = (await this.#send("Page.getFrameTree"))["frameTree"];
    const url = String(frame.unreachableUrl ?? frame.url);
    return url === "about:blank" || url === ":" ? "" : `${url}${frame.urlFragment ?? ""}`;
  }

  async close(): Promise<void> {
    await this.#send("Page.close");
  }

  /** Waits for what an action set off; what does not come to its end is stopped, and that is said. */
  async settle(): Promise<void> {
    const [starts, begin] = [this.#starts, performance.now()];
    const waited = (): number => performance.now() - begin;
    while (this.#starts === starts && !this.#loading.has(this.#main) && waited() < STARTS_MS) await pause();
    while (this.#loading.has(this.#main) && waited() < this.#timeoutMs) {
      if (!this.#cdp.alive) return;
      await pause();
    }
    if (!this.#loading.has(this.#main)) return;
    await this.#stop();
    this.#notes.push(`the page did not finish within ${this.#timeoutMs / 1000} s; this is what had come`);
  }

  async #stop(): Promise<void> {
    await this.#send("Page.stopLoading");
    this.#loading.clear();
  }

  async #call(node: number, functionDeclaration: string, ...values: readonly unknown[]): Promise<unknown> {
    const { object } = await this.#send("DOM.resolveNode", { backendNodeId: node });
    const { objectId } = object;
    const call = {
      functionDeclaration,
      objectId,
      returnByValue: true,
      arguments: values.map((value) => ({ value })),
    };
    const { result } = await this.#send("Runtime.callFunctionOn", call);
    return result.value;
  }

  #send(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<Readonly<Record<string, any>>> {
    return this.#cdp.send(method, params, this.session);
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));
