import { recordEntry, type LeafNode, type TableNode } from "@gantry/host";

/** A JSON Schema of the whole file, for editors. */
export function jsonSchema(root: TableNode): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Gantry configuration (config.toml)",
    ...tableSchema(root),
  };
}

function tableSchema(node: TableNode): Record<string, unknown> {
  const properties = Object.fromEntries(
    [...node.children].map(([key, child]) => [
      key,
      child.kind === "table" ? tableSchema(child) : leafSchema(child),
    ]),
  );
  return { type: "object", properties, additionalProperties: node.others?.schema ?? false };
}

/** Keys with a default may be left out, under names that people choose too. */
function leafSchema(leaf: LeafNode): unknown {
  const entry = recordEntry(leaf);
  return entry ? { type: "object", additionalProperties: tableSchema(entry) } : leaf.schema;
}
