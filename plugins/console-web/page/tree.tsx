import { createElement, type ComponentChildren } from "preact";

/** As the service reads Markdown: a text, or a form with what stands in it. */
export type TreeNode = string | readonly TreeNode[];

/** The elements that an answer may be made of; whatever else comes is shown as its words. */
const forms: ReadonlySet<string> = new Set(
  "p blockquote ul ol li table thead tbody tr th td strong em s code br hr span h1 h2 h3 h4 h5 h6".split(" "),
);
const harmless = /^(?:https?:\/\/|mailto:)/i;

/** An answer, built of nodes: no text of it is ever read as HTML. */
export function Tree({ nodes }: { readonly nodes: readonly TreeNode[] }) {
  return <div class="prose">{nodes.map(built)}</div>;
}

function built(node: TreeNode): ComponentChildren {
  if (typeof node === "string") return node;
  const [kind = "", ...content] = node;
  if (kind === "pre")
    return (
      <pre tabIndex={0}>
        <code>{content.map(built)}</code>
      </pre>
    );
  if (kind === "a") return linked(content);
  if (kind === "table")
    return (
      <div class="wide" tabIndex={0} role="group">
        <table>{content.map(built)}</table>
      </div>
    );
  if (kind === "br" || kind === "hr") return createElement(kind, null);
  return typeof kind === "string" && forms.has(kind)
    ? createElement(headingOf(kind), null, content.map(built))
    : content.map(built);
}

/** The headings of an answer stand below those of the page. */
function headingOf(kind: string): string {
  const [, level] = /^h([1-6])$/.exec(kind) ?? [];
  return level === undefined ? kind : `h${Math.min(6, Number(level) + 2)}`;
}

function linked([address, ...words]: readonly TreeNode[]): ComponentChildren {
  const shown = words.map(built);
  if (typeof address !== "string" || !harmless.test(address)) return shown;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {shown}
    </a>
  );
}
