import { realpathSync } from "node:fs";
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
  // Asked at every turn: of a folder that is there, without a thread, and as followLinks resolves it.
  const resolved = (written: string): string | Promise<string> => {
    const at = path.resolve(configDir, expandHome(written));
    try {
      return realpathSync.native(at);
    } catch {
      return followLinks(at);
    }
  };
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
