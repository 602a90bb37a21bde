import { isTree, tablePath, valueAt, type Configured } from "@gantry/host";
import { leaves } from "./leaves.ts";

/** The value a key has; for a table, what all its readers know of it. */
export function effective(config: Configured, key: string): unknown {
  const nested = [...config.parts].map(([name, part]) =>
    tablePath(config.tables.get(name) ?? "").reduceRight<unknown>(
      (inner, table) => ({ [table]: inner }),
      part,
    ),
  );
  return nested.map((tree) => valueAt(tree, key)).reduce(merged, undefined);
}

/** The keys whose values differ, and those of them that only a new process reads again. */
export function changedKeys(
  before: Configured,
  now: Configured,
): { readonly all: readonly string[]; readonly restart: readonly string[] } {
  const known = new Map(
    [...leaves(before.schema), ...leaves(now.schema)].map(({ key, leaf }) => [key, leaf]),
  );
  const all = [...known.keys()].filter(
    (key) => JSON.stringify(effective(before, key)) !== JSON.stringify(effective(now, key)),
  );
  const needsRestart = (key: string): boolean => {
    const schema: { readonly needsRestart?: boolean } | undefined = known.get(key)?.schema;
    return schema?.needsRestart === true;
  };
  return { all, restart: all.filter(needsRestart) };
}

function merged(one: unknown, other: unknown): unknown {
  if (!isTree(one) || !isTree(other)) return one ?? other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(one[key], other[key])]));
}
