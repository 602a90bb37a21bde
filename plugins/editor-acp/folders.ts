import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { listAll, type Store } from "@gantry/sdk";
import { isInside, printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** The space of the store for the path of each folder that an editor opened, by its name. */
const space = "acp-folders";

/** A folder that an editor opened. */
export interface Folder {
  /** Absolute, links followed. */
  readonly path: string;
  /**
   * The name of who speaks there: conversations, memories and approvals of a folder are its own.
   */
  readonly name: string;
}

/**
 * Returns the folder that an editor names, if it lies in the workspace. Throws ACP_FOLDER_RELATIVE,
 * ACP_FOLDER and ACP_FOLDER_ABSENT.
 */
export async function folderOf(cwd: string, workspace: string): Promise<Folder> {
  if (!path.isAbsolute(cwd)) throw errors.ACP_FOLDER_RELATIVE(printable(cwd, 300));
  const written = path.resolve(cwd);
  const shown = printable(written, 300);
  const found = await realpath(written).catch(() => undefined);
  // The names of files elsewhere are not told.
  if (!isInside(found ?? written, workspace)) throw errors.ACP_FOLDER(shown, workspace);
  if (found === undefined || !(await stat(found)).isDirectory()) throw errors.ACP_FOLDER_ABSENT(shown);
  return { path: found, name: nameOf(found) };
}

/**
 * Returns a name that is always the same for the same folder, and tells its owner which one it is.
 */
function nameOf(folder: string): string {
  const word = path
    .basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .slice(0, 32);
  return `${word}-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;
}

export async function keepFolder({ values }: Store, { name, path: folder }: Folder): Promise<void> {
  await values.put(space, name, folder);
}

/** Returns the paths of the folders in the workspace that were opened, by their names. */
export async function knownFolders(
  { values }: Store,
  workspace: string,
): Promise<ReadonlyMap<string, string>> {
  const all = await listAll<string>(values, space);
  return new Map(all.flatMap(({ key, value }) => (isInside(value, workspace) ? [[key, value]] : [])));
}
