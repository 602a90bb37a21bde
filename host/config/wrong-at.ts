import type { GantryError } from "@gantry/sdk";

/** The same error, with the key of the file that is wrong; for an item of a list, the list's key and the item. */
export function wrongAt(path: readonly string[], error: GantryError): GantryError {
  return Object.assign(error, { path });
}
