import type { Element, Still, Typing } from "./browser.ts";
import type { Cdp } from "./cdp.ts";
import type { PageNode } from "./chromium-snapshot.ts";
import { ELEMENT_FACTS, type ElementFacts } from "./element-facts.ts";

/** The effect of an action begins to show within this time. */
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

  /** In this order the page requests nothing before it is watched. */
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

  /** Returns the failure in the browser's words; undefined if the page came, whole or not. */
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

  /** Returns false if there is no page to go back to. */
  async back(): Promise<boolean> {
    const { currentIndex, entries } = await this.#send("Page.getNavigationHistory");
    const entry = entries[currentIndex - 1];
    if (!entry || entry.url === "about:blank") return false;
    await this.#send("Page.navigateToHistoryEntry", { entryId: entry.id });
    await this.settle();
    return true;
  }

  async click(node: PageNode, still: Still): Promise<void> {
    const target = { backendNodeId: node.id };
    await this.#send("DOM.scrollIntoViewIfNeeded", target);
    const { quads } = await this.#send("DOM.getContentQuads", target);
    const quad = (quads as readonly (readonly number[])[])[0];
    if (!quad) throw new Error("it cannot be seen");
    const middle = (first: number): number =>
      [0, 2, 4, 6].reduce((sum, at) => sum + quad[first + at]!, 0) / 4;
    const [x, y] = [middle(0), middle(1)];
    const mouse = (type: string): Promise<unknown> =>
      this.#send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    await mouse("mouseMoved");
    if (!(await this.#isOnTop(node, x, y))) throw new Error("something else lies over it");
    still(await this.look(node));
    await mouse("mousePressed");
    await mouse("mouseReleased");
    await this.settle();
  }

  async type(node: PageNode, { text, submit }: Typing, still: Still): Promise<void> {
    await this.#send("DOM.focus", { backendNodeId: node.id });
    await this.#call(
      node,
      "function () { this.select ? this.select() : document.getSelection().selectAllChildren(this); }",
    );
    still(await this.look(node));
    await this.#send("Input.insertText", { text });
    if (!submit) return;
    still(await this.look(node));
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    await this.settle();
  }

  async select(node: PageNode, value: string, still: Still): Promise<void> {
    const choose = `function (wanted) {
      const option = [...(this.options ?? [])].find((one) => one.label.trim() === wanted.trim() || one.value === wanted);
      if (!option) return false;
      this.value = option.value;
      for (const type of ["input", "change"]) this.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    }`;
    still(await this.look(node));
    if ((await this.#call(node, choose, value)) !== true) throw new Error(`there is no option ${value}`);
    await this.settle();
  }

  /** As the browser has it; nothing of the page's own scripts stands in for anything of it. */
  async look(node: PageNode): Promise<Element> {
    const { at, leadsTo, method, state } = (await this.#call(
      node,
      `function () { const one = this; ${ELEMENT_FACTS} }`,
    )) as ElementFacts;
    const query = { backendNodeId: node.id, fetchRelatives: false };
    const { nodes } = await this.#send("Accessibility.getPartialAXTree", query);
    const [role, name] = ["role", "name"].map((what) => String(nodes[0]?.[what]?.value ?? ""));
    const known = { ...(leadsTo !== null && { leadsTo }), ...(method !== null && { method }) };
    return { role: role!, name: name!, at, ...known, key: `${node.frame ?? ""} ${node.id} ${state}` };
  }

  /** Returns true if a click there meets the element, or what belongs to it. */
  async #isOnTop(node: PageNode, x: number, y: number): Promise<boolean> {
    const { cssLayoutViewport } = await this.#send("Page.getLayoutMetrics");
    const place = { x: Math.round(x + cssLayoutViewport.pageX), y: Math.round(y + cssLayoutViewport.pageY) };
    const hit = await this.#send("DOM.getNodeForLocation", place);
    if (hit["backendNodeId"] === node.id) return true;
    const meets = "function (hit) { return this.contains(hit) || hit.closest?.('label')?.control === this; }";
    return (await this.#call(node, meets, { id: hit["backendNodeId"], frame: node.frame })) === true;
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

  /**
   * Waits for what an action set off; what does not come to its end is stopped, and that is said.
   */
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

  /**
   * In a world of its own, where the page's scripts have changed nothing; nodes are handed over as
   * what they are there.
   */
  async #call(
    node: PageNode,
    functionDeclaration: string,
    ...values: readonly (string | PageNode)[]
  ): Promise<unknown> {
    const world = { frameId: node.frame ?? this.#main, worldName: "gantry" };
    const { executionContextId } = await this.#send("Page.createIsolatedWorld", world);
    const handle = async ({ id: backendNodeId }: PageNode): Promise<{ readonly objectId: string }> => {
      const { object } = await this.#send("DOM.resolveNode", { backendNodeId, executionContextId });
      return { objectId: object.objectId };
    };
    const given = values.map((value) => (typeof value === "string" ? { value } : handle(value)));
    const call = {
      functionDeclaration,
      ...(await handle(node)),
      returnByValue: true,
      arguments: await Promise.all(given),
    };
    const { result, exceptionDetails } = await this.#send("Runtime.callFunctionOn", call);
    if (exceptionDetails)
      throw new Error(String(exceptionDetails.exception?.description ?? exceptionDetails.text));
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
