import type { Cdp } from "./cdp.ts";
import type { ViewElement } from "./browser.ts";

/** The roles of elements that can be clicked, typed in or chosen. */
const ACTIVE = new Set(
  "button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton menuitem menuitemcheckbox menuitemradio tab treeitem DisclosureTriangle".split(
    " ",
  ),
);
/** These begin a line of their own. */
const BLOCKS = new Set(
  "paragraph heading list listitem row table form main article region navigation banner contentinfo complementary blockquote figure LineBreak term definition separator dialog alert status LayoutTable LayoutTableRow RootWebArea".split(
    " ",
  ),
);
const MAX_FRAMES = 20;
const MAX_NODES = 50_000;

interface AxNode {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly value?: { readonly value: unknown };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
  readonly childIds?: readonly string[];
  readonly backendDOMNodeId?: number;
}

/** A node by the browser's own number, and the frame that it stands in; undefined: the main one. */
export interface PageNode {
  readonly id: number;
  readonly frame: string | undefined;
}

export interface Snapshot {
  readonly title: string;
  readonly text: string;
  readonly elements: readonly (ViewElement & { readonly node: PageNode })[];
}

/** The page as its accessibility tree has it, frames where they stand. */
export async function takeSnapshot(cdp: Cdp, session: string): Promise<Snapshot> {
  const walk = new Walk(cdp, session);
  await walk.frame(undefined);
  const text = walk.text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return { title: walk.title, text, elements: walk.elements };
}

class Walk {
  readonly elements: (ViewElement & { readonly node: PageNode })[] = [];
  text = "";
  title = "";
  readonly #cdp: Cdp;
  readonly #session: string;
  #frames = 0;
  #frame: string | undefined;
  #nodes = 0;

  constructor(cdp: Cdp, session: string) {
    this.#cdp = cdp;
    this.#session = session;
  }

  async frame(frameId: string | undefined): Promise<void> {
    if (this.#frames++ >= MAX_FRAMES) return;
    const params = frameId === undefined ? {} : { frameId };
    const { nodes } = await this.#cdp.send("Accessibility.getFullAXTree", params, this.#session);
    const all = nodes as readonly AxNode[];
    const byId = new Map(all.map((node) => [node.nodeId, node]));
    const root = all.find(({ parentId }) => parentId === undefined);
    if (!root) return;
    if (frameId === undefined) this.title = root.name?.value ?? "";
    const around = this.#frame;
    this.#frame = frameId;
    await this.#node(root, byId);
    this.#frame = around;
  }

  async #node(node: AxNode, byId: ReadonlyMap<string, AxNode>): Promise<void> {
    if (this.#nodes++ >= MAX_NODES) return;
    const role = node.role?.value ?? "";
    if (role === "InlineTextBox") return;
    if (role === "StaticText") {
      if (!node.ignored) this.text += ` ${node.name?.value ?? ""}`;
      return;
    }
    const isBlock = BLOCKS.has(role);
    if (isBlock) this.text += role === "heading" ? "\n\n# " : "\n";
    if (!node.ignored && ACTIVE.has(role) && node.backendDOMNodeId !== undefined)
      this.#active(node, role, byId);
    if (role === "Iframe") await this.#inFrame(node);
    else if (role !== "combobox" && role !== "listbox") await this.#children(node, byId);
    if (isBlock) this.text += "\n";
  }

  async #children({ childIds = [] }: AxNode, byId: ReadonlyMap<string, AxNode>): Promise<void> {
    for (const id of childIds) {
      const child = byId.get(id);
      if (child) await this.#node(child, byId);
    }
  }

  #active(node: AxNode, role: string, byId: ReadonlyMap<string, AxNode>): void {
    const value = valueOf(node, optionsOf(node, byId));
    const at = { id: node.backendDOMNodeId!, frame: this.#frame };
    const element = { role, name: node.name?.value ?? "", node: at };
    this.elements.push(value === "" ? element : { ...element, value });
    this.text += ` [${this.elements.length}]`;
  }

  async #inFrame({ backendDOMNodeId: backendNodeId }: AxNode): Promise<void> {
    try {
      const { node } = await this.#cdp.send("DOM.describeNode", { backendNodeId }, this.#session);
      this.text += "\n";
      if (typeof node.frameId === "string") await this.frame(node.frameId);
      this.text += "\n";
    } catch {
      // It went while the page was read.
    }
  }
}

function valueOf({ value, properties = [] }: AxNode, options: readonly string[]): string {
  const checked = properties.find(({ name }) => name === "checked")?.value.value;
  const held = value?.value === undefined ? "" : String(value.value);
  const state = checked === undefined || checked === "false" ? "" : "checked";
  const choice = options.length > 0 ? `of: ${options.join(", ")}` : "";
  return [held, state, choice].filter(Boolean).join(" ");
}

function optionsOf(node: AxNode, byId: ReadonlyMap<string, AxNode>): readonly string[] {
  return (node.childIds ?? []).flatMap((id) => {
    const child = byId.get(id);
    if (!child) return [];
    return /option/i.test(child.role?.value ?? "") ? [child.name?.value ?? ""] : optionsOf(child, byId);
  });
}
