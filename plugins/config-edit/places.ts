import { parseTOML, type AST } from "toml-eslint-parser";

/** The place of one key in a TOML text. Offsets count UTF-16 units. */
export interface KeyPlace {
  readonly path: readonly string[];
  /** The table whose header or braces the key stands in; the rest of its path is dotted. */
  readonly home: readonly string[];
  /** The value's text is `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
}

export interface TablePlace {
  readonly path: readonly string[];
  readonly start: number;
  /** The offset for the table's next key: behind its last key, or behind its header. */
  readonly insertAt: number;
}

export interface Places {
  /** In the order of the text; an inline table comes before the keys in it. */
  readonly keys: readonly KeyPlace[];
  /** The first one is the root. */
  readonly tables: readonly TablePlace[];
}

/** Returns the places of all keys and tables of a text that a TOML parser has already accepted. */
export function placesIn(text: string): Places {
  // The parser takes no byte order mark, and loses a 0 that ends the text. Both keep the offsets.
  const program = parseTOML(`${text.replace(/^\ufeff/, " ")}\n`, { tomlVersion: "1.1" });
  const keys: KeyPlace[] = [];
  const root = program.body[0].body;
  const tables = [place(text, [], 0, 0, root.filter(isPair), keys)];
  for (const node of root) {
    if (node.type !== "TOMLTable") continue;
    const headEnd = lineEnd(text, node.key.range[1]);
    tables.push(place(text, pathOf(node.key), node.range[0], headEnd, node.body, keys));
  }
  return { keys, tables };
}

function isPair(node: AST.TOMLKeyValue | AST.TOMLTable): node is AST.TOMLKeyValue {
  return node.type === "TOMLKeyValue";
}

function place(
  text: string,
  path: readonly string[],
  start: number,
  headEnd: number,
  pairs: readonly AST.TOMLKeyValue[],
  keys: KeyPlace[],
): TablePlace {
  addKeys(pairs, path, keys);
  const last = pairs.at(-1);
  return { path, start, insertAt: last ? lineEnd(text, last.value.range[1]) : headEnd };
}

/** Keys within lists have no path of their own. */
function addKeys(pairs: readonly AST.TOMLKeyValue[], home: readonly string[], keys: KeyPlace[]): void {
  for (const { key, value } of pairs) {
    const path = [...home, ...pathOf(key)];
    const [start, end] = value.range;
    keys.push({ path, home, start, end });
    if (value.type === "TOMLInlineTable") addKeys(value.body, path, keys);
  }
}

function pathOf({ keys }: AST.TOMLKey): readonly string[] {
  return keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

/** Returns the offset behind the line that `at` stands in. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}
