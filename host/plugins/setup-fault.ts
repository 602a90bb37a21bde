import { GantryError } from "@gantry/sdk";
import { tablePath } from "../config/schema.ts";
import { wrongAt } from "../config/wrong-at.ts";
import type { LoadedPlugin } from "./loader.ts";

/** The same error; where one table of the file is what loads the plugin, that table is what is wrong. */
export function setupFault(loaded: LoadedPlugin | undefined, error: Error): Error {
  const [table, ...others] = loaded?.tables ?? [];
  const isPlain = table !== undefined && others.length === 0 && error instanceof GantryError;
  return isPlain ? wrongAt(tablePath(table), error) : error;
}
