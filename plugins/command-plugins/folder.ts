import { randomBytes } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";

/** Where installed plugins lie; made where it is missing. Throws `PLUGINS_FOLDER` where others could change what lies there. */
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

/** Writes the files beside the installed ones, closed to others and without a right to run; gives where. */
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

/** Moves what was staged to the package's place, does `work`, and moves the old one back where that fails. */
export async function putInPlace(
  folder: string,
  name: string,
  staging: string,
  work: () => Promise<void>,
): Promise<void> {
  const place = path.join(folder, name);
  const aside = path.join(folder, `.old-${randomBytes(6).toString("hex")}`);
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const had = await rename(place, aside).then(
    () => true,
    () => false,
  );
  try {
    await rename(staging, place);
    await work();
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    if (had) await rename(aside, place);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}
