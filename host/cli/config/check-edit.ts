import type { ConfigChange } from "@gantry/sdk/fill";
import { isTree, parseToml } from "@gantry/host";
import { errors } from "../errors.ts";

/**
 * Throws CONFIG_BAD_EDIT unless the new text says what the old one did but for these changes: the
 * file holds the policy, and whoever edits it may be a plugin of anybody. Throws CONFIG_TOML.
 */
export function checkEdit(
  file: string,
  before: string,
  after: string,
  changes: readonly ConfigChange[],
): void {
  const tree = parseToml(file, before);
  const named = changes.filter(([path]) => path.length > 0);
  const wanted = named.reduce<unknown>((now, [path, value]) => changed(now, path, value), tree);
  if (plain(parseToml(file, after)) === plain(wanted)) return;
  const keys = changes.map(([path]) => path.join("."));
  throw errors.CONFIG_BAD_EDIT(file, keys.join(", "));
}

function changed(tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const { [key]: inner, ...others } = isTree(tree) ? tree : {};
  if (inner === undefined && value === undefined) return tree;
  return { ...others, [key]: changed(inner, rest, value) };
}

/**
 * Returns a text that is the same for the same values; the order of keys and empty tables do not
 * count.
 */
function plain(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.map((item) => plain(item) ?? "{}").join()}]`;
  if (!isTree(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => [JSON.stringify(key), plain(value[key])] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length > 0 ? `{${entries.map((entry) => entry.join(":")).join()}}` : undefined;
}
