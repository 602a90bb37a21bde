import { parse, TomlError } from "smol-toml";
import { GantryError } from "@gantry/sdk";
import { isTree, type Problem } from "@gantry/host";

/** A plugin that was chosen stands in one of them. */
const pluginLists = ["plugins", "extra_plugins", "optional_plugins", "isolated_plugins"];

type Tree = Readonly<Record<string, unknown>>;

/** Each of what may be several errors in one. */
export function eachOf(error: Error): readonly Problem[] {
  const { all } = error as { readonly all?: readonly Problem[] };
  return all ?? (error instanceof GantryError ? [error] : []);
}

/**
 * Returns the tree without the keys that these errors are about; undefined if they name none that
 * is there.
 */
export function withoutWrong(tree: Tree, wrong: readonly Problem[]): Tree | undefined {
  const left = structuredClone(tree);
  let isLess = false;
  for (const { path = [] } of wrong) {
    const [list, ...rest] = path;
    const places = list === "plugins" ? pluginLists.map((name) => [name, ...rest]) : [path];
    for (const place of places) isLess = remove(left, place) || isLess;
  }
  return isLess ? left : undefined;
}

/**
 * Takes out the value that stands nearest to the path: a table that lacks a key is wrong itself.
 */
function remove(tree: Record<string, unknown>, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined || !Object.hasOwn(tree, key)) return false;
  const value = tree[key];
  if (isTree(value) && remove(value, rest)) return true;
  if (Array.isArray(value) && rest.length > 0) {
    tree[key] = value.filter((item) => item !== rest[0]);
    if ((tree[key] as unknown[]).length < value.length) return true;
    if (pluginLists.includes(key)) return false;
  }
  return delete tree[key];
}

/** Returns the text before the line that is not TOML, as far as it can be read alone. */
export function readablePart(text: string): string {
  const lines = text.split("\n");
  for (let count = brokenLine(text) - 1; count > 0; count -= 1) {
    const part = lines.slice(0, count).join("\n");
    if (brokenLine(part) === 0) return part;
  }
  return "";
}

/** 0 where there is none. */
function brokenLine(text: string): number {
  try {
    parse(text);
    return 0;
  } catch (error) {
    return error instanceof TomlError ? error.line : 1;
  }
}
