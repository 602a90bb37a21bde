import { errors } from "@gantry/sdk";
import type { Bundled } from "../plugins/bundled.ts";
import { isTree } from "./check.ts";
import { tablePath } from "./schema.ts";

/** Which plugins a file asks for: those it lists, else the base set and every bundled plugin whose own table it has. */
export function chosenPlugins(
  tree: Readonly<Record<string, unknown>>,
  bundled: readonly Bundled[],
): readonly string[] {
  const { plugins } = tree;
  if (!Array.isArray(plugins))
    return bundled
      .filter(({ base, tables }) => base || tables.some((table) => hasTable(tree, table)))
      .map(({ name }) => name);
  const names = plugins.filter((name): name is string => typeof name === "string");
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw errors.PLUGIN_TWICE(twice);
  return names;
}

function hasTable(tree: Readonly<Record<string, unknown>>, table: string): boolean {
  let at: unknown = tree;
  for (const part of tablePath(table)) at = isTree(at) ? at[part] : undefined;
  return at !== undefined;
}
