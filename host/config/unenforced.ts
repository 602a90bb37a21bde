import type { GantryError, Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { cureOf, isTree, type ConfigText } from "./check.ts";
import { hostEnforces } from "./host-keys.ts";
import { findNode, type TableNode } from "./schema.ts";
import { wrongAt } from "./wrong-at.ts";

/**
 * Returns an error for each key of `[security]` in the file that no loaded plugin enforces, though
 * another would. `others` loads the bundled plugins, only if a key has no loaded enforcer.
 */
export async function unenforcedKeys(
  text: ConfigText,
  schema: TableNode,
  loaded: readonly Plugin[],
  others: () => Promise<readonly Plugin[]>,
): Promise<readonly GantryError[]> {
  const enforced = new Set([...hostEnforces, ...loaded.flatMap(({ enforces = [] }) => enforces)]);
  // A key that nobody reads is told as unknown.
  const open = [...writtenKeys(text.tree["security"], ["security"])].filter(
    (path) => !enforced.has(path.join(".")) && findNode(schema, path) !== undefined,
  );
  if (open.length === 0) return [];
  const known = await others();
  return open.flatMap((path) => {
    const key = path.join(".");
    const would = known.find(({ enforces = [] }) => enforces.includes(key));
    if (!would) return [];
    const line = text.lineOf(path);
    const error = errors.CONFIG_UNENFORCED(text.file, line, key, would.name, cureOf(text, would.name));
    return [wrongAt(path, error)];
  });
}

/** Yields the path of every value below a table. */
function* writtenKeys(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (!isTree(value)) {
    if (path.length > 1) yield path;
    return;
  }
  for (const [key, child] of Object.entries(value)) yield* writtenKeys(child, [...path, key]);
}
