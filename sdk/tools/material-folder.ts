import { many } from "../contract/slot.ts";

/**
 * A folder of the workspace that is filled from outside, such as downloads: what is read there is
 * material, whoever reads it.
 */
export interface MaterialFolder {
  readonly name: string;
  /** Absolute; need not be there yet. */
  readonly folder: string;
  /** The source of its files, in a few words. */
  readonly material: string;
}
export const MaterialFolders = many<MaterialFolder>("material-folders", (value: MaterialFolder) =>
  typeof value.folder === "string" && typeof value.material === "string"
    ? undefined
    : "lacks folder or material",
);
