import type { GantryError } from "@gantry/sdk";

/** An error in the file. */
export interface Problem extends GantryError {
  /** The key that is wrong; for an item of a list, the list's key and the item. */
  readonly path?: readonly string[];
  /** The plugin not set up as its table lacks something; the title of the step that asks for it. */
  readonly lacking?: string;
  readonly curedBy?: string | undefined;
}

/** Returns the error with its key; for an item of a list, the list's key and the item. */
export function wrongAt(path: readonly string[], error: GantryError): GantryError {
  return Object.assign(error, { path });
}
