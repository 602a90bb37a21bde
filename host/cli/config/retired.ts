import type { GantryError } from "@gantry/sdk";
import { valueAt, type Configured } from "@gantry/host";
import { errors } from "../errors.ts";
import { leaves } from "./leaves.ts";

/**
 * Returns what the file sets and its schema marks with `retired`, a sentence that says what to
 * write instead: such a key works as before for one minor release, and is said at every start.
 */
export function retiredKeys({ text, schema }: Configured): readonly GantryError[] {
  return [...leaves(schema)].flatMap(({ key, leaf }) => {
    const { retired } = leaf.schema as { readonly retired?: unknown };
    if (typeof retired !== "string" || valueAt(text.tree, key) === undefined) return [];
    return [errors.CONFIG_RETIRED_KEY(text.file, text.lineOf(key.split(".")), key, retired)];
  });
}
