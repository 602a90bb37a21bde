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

/**
 * The values of the store that say which files and folders hold material, and for how long: each
 * key is an absolute path, each value the list of sources.
 */
export const materialFiles = { space: "material-files", forMs: 365 * 86_400_000 } as const;

/** The values of the store that say what each conversation holds: `Sources` by its id. */
export const sessionSources = { space: "session-sources" } as const;
