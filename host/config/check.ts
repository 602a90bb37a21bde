import type { TObject, TSchema } from "typebox";
import { Value } from "typebox/value";
import { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { deepFreeze, expectedValue, nearest } from "@gantry/sdk/node";
import {
  findNode,
  isRecord,
  isTable,
  recordEntry,
  tablePath,
  type ConfigReader,
  type SchemaNode,
  type TableNode,
} from "./schema.ts";
import { wrongAt } from "./wrong-at.ts";

type Tree = Readonly<Record<string, unknown>>;

/** Returns the line of a key, or of the nearest table or key around it; of several, the first. */
export type LineOf = (path: readonly string[]) => number;

/** A parsed file and where its keys stand. */
export interface ConfigText {
  /** As it is named in errors. */
  readonly file: string;
  readonly tree: Tree;
  readonly lineOf: LineOf;
}

/** Keys that no reader knows; `bundled` tells which plugin that is not listed would know them. */
export function unknownKeys(text: ConfigText, root: TableNode, bundled: TableNode): GantryError[] {
  const found: GantryError[] = [];
  const walk = (tree: Tree, node: TableNode, path: readonly string[]): void => {
    for (const [key, value] of Object.entries(tree)) {
      const at = [...path, key];
      const child = node.children.get(key) ?? node.others;
      if (!child) walkUnlisted(value, node, at);
      else if (child.kind === "table" && isTree(value)) walk(value, child, at);
      else if (child.kind === "leaf") walkRecord(value, recordEntry(child), at);
      else
        found.push(
          wrongAt(at, errors.CONFIG_WRONG_TYPE(text.file, text.lineOf(at), at.join("."), "must be a table")),
        );
    }
  };
  const walkUnlisted = (value: unknown, around: TableNode, at: readonly string[]): void => {
    const elsewhere = findNode(bundled, at);
    const before = found.length;
    if (elsewhere?.kind === "table" && isTree(value)) walk(value, elsewhere, at);
    // A misspelt own table loads nothing: then the misspelling is what is wrong.
    if (found.length === before || "plugins" in text.tree)
      found.push(wrongAt(at, unknown(text, at, keysAt(at, around), elsewhere)));
  };
  /** Those of plugins that are not loaded too where their own table would load them. */
  const keysAt = (at: readonly string[], around: TableNode): ReadonlySet<string> => {
    const more = "plugins" in text.tree ? undefined : findNode(bundled, at.slice(0, -1));
    return new Set([...around.children.keys(), ...(more?.kind === "table" ? more.children.keys() : [])]);
  };
  const walkRecord = (value: unknown, entry: TableNode | undefined, path: readonly string[]): void => {
    if (!entry || !isTree(value)) return;
    for (const [name, tree] of Object.entries(value)) if (isTree(tree)) walk(tree, entry, [...path, name]);
  };
  walk(text.tree, root, []);
  return found;
}

function unknown(
  text: ConfigText,
  at: readonly string[],
  known: ReadonlySet<string>,
  elsewhere: SchemaNode | undefined,
): GantryError {
  const line = text.lineOf(at);
  const key = at.join(".");
  const owner = elsewhere && [...elsewhere.owners][0];
  if (owner && owner !== "host")
    return errors.CONFIG_UNLISTED_PLUGIN(text.file, line, key, owner, cureOf(text, owner));
  const meant = nearest(at.at(-1) as string, known);
  const full = meant && [...at.slice(0, -1), meant].join(".");
  return errors.CONFIG_UNKNOWN_KEY(
    text.file,
    line,
    key,
    full ? ` (did you mean \`${full}\`?)` : `: the keys there are ${keysOf(known)}`,
  );
}

/** Returns what makes the file load this plugin, or need it no longer. */
export function cureOf(text: ConfigText, plugin: string): string {
  return `${loadsOf(text, plugin)}, or take this out of the file`;
}

/** Returns what makes the file load this plugin. */
export function loadsOf({ tree }: ConfigText, plugin: string): string {
  const without = tree["without_plugins"];
  const isLeftOut = Array.isArray(without) && without.includes(plugin);
  if (isLeftOut) return `take "${plugin}" out of \`without_plugins\``;
  return "plugins" in tree ? `add "${plugin}" to \`plugins\`` : "fill the plugin's own table, which loads it";
}

function keysOf(known: ReadonlySet<string>): string {
  return [...known].map((key) => `\`${key}\``).join(", ") || "none";
}

/** Returns one reader's part of the file, frozen, with defaults; adds faults to `problems`. */
export function partOf(text: ConfigText, reader: ConfigReader, problems: Map<string, GantryError>): unknown {
  const table = tablePath(reader.table);
  const raw = table.reduce<unknown>((tree, key) => (isTree(tree) ? tree[key] : undefined), text.tree);
  const part = pick(raw, reader.schema);
  const faults = Value.Check(reader.schema, part) ? [] : Value.Errors(reader.schema, part);
  for (const [pointer, issues] of Map.groupBy(faults, ({ instancePath }) => instancePath)) {
    const path = [...table, ...pointer.split("/").slice(1).map(unescapePointer)];
    const key = path.join(".") || reader.table || "the file";
    const sentence = describe(issues, reader);
    problems.set(
      `${key} ${sentence}`,
      wrongAt(path, errors.CONFIG_WRONG_TYPE(text.file, text.lineOf(path), key, sentence)),
    );
  }
  return deepFreeze(part);
}

/**
 * Returns only the keys that the schema knows, with defaults filled in; tables are there even if
 * the file has none.
 */
function pick(raw: unknown, schema: TObject): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const value = isTree(raw) ? raw[key] : undefined;
    // Null unless it is a table: defaults could be filled into a list or a date too.
    if (isTable(child)) picked[key] = value === undefined || isTree(value) ? pick(value, child) : null;
    else if (value !== undefined) picked[key] = Value.Default(child, structuredClone(value));
    else if (isRecord(child)) picked[key] = {};
    else if ("default" in child) picked[key] = defaultOf(child);
  }
  return picked;
}

/** Most defaults are plain, and at each start there are hundreds of them. */
function defaultOf(schema: TSchema & { readonly default?: unknown }): unknown {
  return typeof schema.default === "object" ? Value.Default(schema, undefined) : schema.default;
}

type Issue = ReturnType<typeof Value.Errors>[number];

/** Returns one sentence that says what was expected of one value. */
function describe(issues: readonly Issue[], reader: ConfigReader): string {
  const missing = issues.find((issue) => issue.keyword === "required");
  if (missing?.keyword === "required")
    return `misses \`${missing.params.requiredProperties.join("`, `")}\`, which ${reader.name} needs: add it`;
  return expectedValue(issues, reader.schema).replace(/ object$/, " a table");
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
