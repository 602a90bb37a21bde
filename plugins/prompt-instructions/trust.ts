import path from "node:path";
import { expandHome, followLinks, isInside } from "@gantry/sdk/node";

export interface Trust {
  /**
   * Whether the instructions that lie in a folder are the owner's: those of the configured workspace, since no tool may
   * change them there, and of the folders that the owner names.
   */
  isTrusted(folder: string): Promise<boolean>;
  /** The outermost of those that holds the folder, or the folder itself. */
  rootOf(folder: string): Promise<string>;
}

export function trust(configDir: string, configured: string, folders: readonly string[]): Trust {
  const resolved = (written: string): Promise<string> =>
    followLinks(path.resolve(configDir, expandHome(written)));
  const named = (): Promise<readonly string[]> => Promise.all(folders.map(resolved));
  return {
    async isTrusted(folder) {
      if (folder === (await resolved(configured))) return true;
      return (await named()).some((root) => isInside(folder, root));
    },
    async rootOf(folder) {
      const roots = [await resolved(configured), ...(await named())].filter((root) => isInside(folder, root));
      return roots.toSorted((a, b) => a.length - b.length)[0] ?? folder;
    },
  };
}
