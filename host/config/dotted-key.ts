import { pathOf } from "@gantry/sdk/fill";
import { isTree } from "./check.ts";

/** The value at a dotted key of a tree. */
export function valueAt(tree: unknown, key: string): unknown {
  return pathOf(key)?.reduce<unknown>((at, part) => (isTree(at) ? at[part] : undefined), tree);
}
