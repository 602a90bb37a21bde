import type { TObject, TSchema } from "typebox";
import { type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** The whole file's schema, put together from the schemas of all who read it. */
export type SchemaNode = TableNode | LeafNode;
export interface TableNode {
  readonly kind: "table";
  readonly children: Map<string, SchemaNode>;
  readonly owners: Set<string>;
  /** The node of every other name; undefined if no other may stand there. */
  others?: LeafNode;
}
export interface LeafNode {
  readonly kind: "leaf";
  readonly schema: TSchema;
  readonly owners: Set<string>;
}

/** Whoever reads the configuration: a plugin, or the host itself. */
export interface ConfigReader {
  readonly name: string;
  /** `""` is the file's root. */
  readonly table: string;
  readonly schema: TObject;
}

export function readerOf(plugin: Plugin): ConfigReader | undefined {
  if (!plugin.config) return undefined;
  return {
    name: plugin.name,
    table: plugin.table ?? `plugins_config.${plugin.name}`,
    schema: plugin.config as TObject,
  };
}

export function tablePath(table: string): string[] {
  return table === "" ? [] : table.split(".");
}

/** A schema is a table where its keys are named; a record of free names is one leaf. */
export function isTable(schema: TSchema): schema is TObject {
  return (
    (schema as { type?: string }).type === "object" &&
    (schema as { properties?: object }).properties !== undefined
  );
}

/** A table with names that people choose: `[providers.<id>]`. */
export function isRecord(schema: TSchema): boolean {
  return (schema as { patternProperties?: object }).patternProperties !== undefined;
}

/** Returns what stands under the names that a table does not list, if anything may. */
export function othersOf(schema: TObject): TSchema | undefined {
  const { additionalProperties: others } = schema as { readonly additionalProperties?: unknown };
  return typeof others === "object" ? (others as TSchema) : undefined;
}

/** Returns the schema of what stands under any name of a record. */
export function recordValue(schema: TSchema): TSchema | undefined {
  return Object.values(
    (schema as { patternProperties?: Record<string, TSchema> }).patternProperties ?? {},
  )[0];
}

/** Throws CONFIG_CLASH where two readers describe the same key differently. */
export function mergeSchemas(readers: readonly ConfigReader[]): TableNode {
  const root: TableNode = { kind: "table", children: new Map(), owners: new Set() };
  for (const reader of readers) {
    let node = root;
    for (const part of tablePath(reader.table)) node = childTable(node, part, reader, reader.table);
    addTable(node, reader.schema, reader, reader.table);
  }
  return root;
}

function addTable(node: TableNode, schema: TObject, reader: ConfigReader, at: string): void {
  node.owners.add(reader.name);
  const others = othersOf(schema);
  if (others) node.others = { kind: "leaf", schema: others, owners: new Set([reader.name]) };
  for (const [key, child] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const path = at === "" ? key : `${at}.${key}`;
    if (isTable(child)) {
      addTable(childTable(node, key, reader, path), child, reader, path);
      continue;
    }
    const known = node.children.get(key);
    if (!known) {
      node.children.set(key, { kind: "leaf", schema: child, owners: new Set([reader.name]) });
    } else if (known.kind === "leaf" && JSON.stringify(known.schema) === JSON.stringify(child)) {
      known.owners.add(reader.name);
    } else {
      throw errors.CONFIG_CLASH([...known.owners].join(", "), reader.name, path);
    }
  }
}

function childTable(node: TableNode, key: string, reader: ConfigReader, path: string): TableNode {
  const known = node.children.get(key);
  if (known?.kind === "leaf") throw errors.CONFIG_CLASH([...known.owners].join(", "), reader.name, path);
  const table: TableNode = known ?? { kind: "table", children: new Map(), owners: new Set() };
  table.owners.add(reader.name);
  node.children.set(key, table);
  return table;
}

/** Returns the node of what may stand at a path, also below a name that people choose. */
export function findNode(root: TableNode, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const [i, part] of path.entries()) {
    if (node?.kind !== "table") {
      const entry = node && recordEntry(node);
      return entry && findNode(entry, path.slice(i + 1));
    }
    node = node.children.get(part) ?? node.others;
  }
  return node;
}

/** The keys under each name of a record, where it is one of tables. */
export function recordEntry({ schema, owners }: LeafNode): TableNode | undefined {
  const entry = recordValue(schema);
  return entry && isTable(entry)
    ? mergeSchemas([...owners].map((name) => ({ name, table: "", schema: entry })))
    : undefined;
}
