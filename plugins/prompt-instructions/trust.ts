import path from "node:path";
import { expandHome, followLinks, isInside } from "@gantry/sdk/node";

/**
 * Tells whether the instructions that lie in a workspace are the owner's: those of the configured workspace, since no tool
 * may change them there, and of the folders that the owner names.
 */
export function trust(
  configDir: string,
  configured: string,
  folders: readonly string[],
): (workspace: string) => Promise<boolean> {
  const resolved = (written: string): Promise<string> =>
    followLinks(path.resolve(configDir, expandHome(written)));
  return async (workspace) => {
    if (workspace === (await resolved(configured))) return true;
    const named = await Promise.all(folders.map(resolved));
    return named.some((folder) => isInside(workspace, folder));
  };
}
