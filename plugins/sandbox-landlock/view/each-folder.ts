import { asError } from "@gantry/sdk/node";
import type { RunFolder } from "./run-folder.ts";

/**
 * Does something with each, so that one that fails spoils no other. Returns what is to be told,
 * failures too.
 */
export function eachFolder(
  folders: readonly RunFolder[],
  work: (folder: RunFolder) => readonly string[] | void,
): readonly string[] {
  return folders.flatMap((folder) => {
    try {
      return work(folder) ?? [];
    } catch (error) {
      const { message } = asError(error);
      return [`NOT done with the layer of run ${folder.id}: ${message.slice(0, MAX_REASON)}`];
    }
  });
}

/** An error of the file system names a path, which a run chooses. */
const MAX_REASON = 200;
