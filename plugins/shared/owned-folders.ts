import { realpathSync } from "node:fs";
import path from "node:path";
import { Type } from "typebox";
import { expandHome, followLinks, foreignOnTheWay, homesIn, isInside } from "@gantry/sdk/node";

/** The key `agent.trusted_instructions`. */
export const trustedInstructions: Type.TArray<Type.TString> = Type.Array(Type.String({ minLength: 1 }), {
  default: [],
  description:
    "Folders whose AGENTS.md and other instructions, also in folders beneath, are taken for your own words, as the configured workspace's are. Of any other folder that is opened (-C) they are shown to the model too, and count as material from outside. Of the folders above the one that is opened AGENTS.md is shown up to the outermost that you name here, or up to the configured workspace.",
});

/** Which folders hold instructions of the owner. */
export interface OwnedFolders {
  /**
   * Returns true if the AGENTS.md of a folder is the owner's word: that of the configured
   * workspace, since no tool may change it there, and of the folders that the owner names. A file
   * that other users may write is not, nor that of a home which nobody names: anything may be put
   * there.
   */
  isTrusted(folder: string): Promise<boolean>;
  /** The outermost of those that holds the folder, or the folder itself. */
  rootOf(folder: string): Promise<string>;
}

export function ownedFolders(
  configDir: string,
  configured: string,
  folders: readonly string[],
): OwnedFolders {
  // Asked at every turn: of a folder that is there, without a thread, and as followLinks resolves
  // it.
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
      const isConfigured = folder === (await resolved(configured)) && homesIn(folder).length === 0;
      const isOwners = isConfigured || (await named()).some((root) => isInside(folder, root));
      return isOwners && (await foreignOnTheWay(path.join(folder, "AGENTS.md"), folder)) === undefined;
    },
    async rootOf(folder) {
      const roots = [await resolved(configured), ...(await named())].filter((root) => isInside(folder, root));
      return roots.toSorted((a, b) => a.length - b.length)[0] ?? folder;
    },
  };
}
