import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Bundled } from "../plugins/bundled.ts";
import type { Chosen } from "../plugins/load-chosen.ts";
import { pluginErrors } from "../plugins/errors.ts";
import { isTree } from "./check.ts";
import { nearest } from "@gantry/sdk/node";
import { tablePath } from "./schema.ts";
import { wrongAt } from "./wrong-at.ts";

type Tree = Readonly<Record<string, unknown>>;

/**
 * Returns those that `plugins` lists, else the base set and every bundled plugin whose own table is
 * in the file or is `word`, the first of the command line; then the extra ones.
 */
export function chosenPlugins(tree: Tree, bundled: readonly Bundled[], word?: string): Chosen {
  const optional = namesIn(tree["optional_plugins"]);
  const without = namesIn(tree["without_plugins"]);
  const names = [...listedPlugins(tree, bundled, word), ...namesIn(tree["extra_plugins"]), ...optional];
  const loaders = new Map(
    bundled.flatMap(({ loads, entry }) => namesIn(tree[loads ?? ""]).map((name) => [name, entry] as const)),
  );
  names.push(...[...loaders.keys()].filter((name) => !names.includes(name)));
  const all = [...names, ...without];
  const twice = all.find((name, i) => all.indexOf(name) !== i);
  if (twice) throw listedTwice(tree, twice, all);
  const known = bundled.map(({ name }) => name);
  const stranger = without.find((name) => !known.includes(name));
  if (stranger) {
    const meant = nearest(stranger, known);
    const hint = meant ? ` (did you mean \`${meant}\`?)` : "";
    throw wrongAt(["without_plugins", stranger], errors.PLUGIN_NOT_BUNDLED(stranger, hint));
  }
  return { names, optional: new Set(optional), loaders };
}

/** Somebody who wrote it once is told where it stands a second time. */
function listedTwice(tree: Tree, name: string, all: readonly string[]): GantryError {
  const list = ["extra_plugins", "optional_plugins"].find((key) => namesIn(tree[key]).includes(name));
  const isBase = !Array.isArray(tree["plugins"]) && all.filter((other) => other === name).length === 2;
  return list !== undefined && isBase && !namesIn(tree["without_plugins"]).includes(name)
    ? wrongAt([list, name], errors.PLUGIN_IN_BASE(name, list))
    : pluginErrors.PLUGIN_TWICE(name);
}

/** Returns what the key `plugins` says, or means if it is left out. */
export function listedPlugins(tree: Tree, bundled: readonly Bundled[], word?: string): readonly string[] {
  return Array.isArray(tree["plugins"]) ? namesIn(tree["plugins"]) : baseSet(tree, bundled, word);
}

function baseSet(tree: Tree, bundled: readonly Bundled[], word?: string): readonly string[] {
  const without = namesIn(tree["without_plugins"]);
  const extra = namesIn(tree["extra_plugins"]);
  // The one table of a plugin with commands is their first word.
  const hasWord = ({ tables: [at = ".", ...more], provides = [] }: Bundled): boolean =>
    word !== "help"
      ? [at, ...more].includes(word ?? "")
      : more.length === 0 && !at.includes(".") && provides.includes("commands");
  const isAsked = (one: Bundled): boolean =>
    one.tables.some((at) => hasTable(tree, at)) || (hasWord(one) && !extra.includes(one.name));
  const asked = bundled.filter(isAsked);
  const roles = new Set(asked.flatMap(({ role = [] }) => role));
  return bundled
    .filter((one) => asked.includes(one) || (one.base && !roles.has(one.role ?? "")))
    .map(({ name }) => name)
    .filter((name) => !without.includes(name));
}

/** Returns no names for a value of another kind: the check of the file tells of it. */
function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
}

function hasTable(tree: Tree, table: string): boolean {
  let at: unknown = tree;
  for (const part of tablePath(table)) at = isTree(at) ? at[part] : undefined;
  return at !== undefined;
}
