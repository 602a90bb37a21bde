import { randomBytes } from "node:crypto";
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";

/**
 * Returns the folder of installed plugins, made if it is missing. Throws `PLUGINS_FOLDER` if others
 * could change its contents.
 */
export async function pluginFolder(configDir: string): Promise<string> {
  const folder = path.join(configDir, "node_modules");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (found.isSymbolicLink()) throw errors.PLUGINS_FOLDER(folder, "it is a link and could lead elsewhere");
  if ((found.mode & 0o022) !== 0)
    throw errors.PLUGINS_FOLDER(folder, `others may write there; run chmod go-w ${folder}`);
  if (found.uid !== process.getuid?.()) throw errors.PLUGINS_FOLDER(folder, "it belongs to another user");
  return folder;
}

/**
 * Writes the files beside the installed ones, closed to others and without a right to run; gives
 * where.
 */
export async function stagePackage(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const staging = path.join(folder, `.new-${randomBytes(6).toString("hex")}`);
  try {
    for (const [file, bytes] of files) {
      const at = path.join(staging, file);
      await mkdir(path.dirname(at), { recursive: true, mode: 0o700 });
      await writeFile(at, bytes, { mode: 0o600, flag: "wx" });
    }
    return staging;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw errors.PLUGINS_UNWRITABLE(staging, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
