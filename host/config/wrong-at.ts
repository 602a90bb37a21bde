import type { GantryError } from "@gantry/sdk";

/** What is wrong in the file. */
export interface Problem extends GantryError {
  /** The key that is wrong; for an item of a list, the list's key and the item. */
  readonly path?: readonly string[];
  /** The title of the onboarding step that asks for all that the table there lacks. */
  readonly curedBy?: string | undefined;
}

/** The same error, with the key of the file that is wrong; for an item of a list, the list's key and the item. */
export function wrongAt(path: readonly string[], error: GantryError): GantryError {
  return Object.assign(error, { path });
}
