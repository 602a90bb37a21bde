import type { LeafNode, TableNode } from "@gantry/host";

/** Yields every leaf with its dotted key, in the order of the file. */
export function* leaves(
  node: TableNode,
  path: readonly string[] = [],
): Generator<{ key: string; leaf: LeafNode }> {
  const inOrder = [...node.children].toSorted(
    ([, a], [, b]) => Number(a.kind === "table") - Number(b.kind === "table"),
  );
  for (const [name, child] of inOrder) {
    const at = [...path, name];
    if (child.kind === "table") yield* leaves(child, at);
    else yield { key: at.join("."), leaf: child };
  }
}
