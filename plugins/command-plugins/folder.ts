import { randomBytes } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";

/** Where installed plugins lie; made where it is missing. Throws `PLUGINS_FOLDER` where others could change what lies there. */
export async function pluginFolder(configDir: string): Promise<string> {
  const folder = path.join(configDir, "node_modules");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const at of [configDir, folder]) {
    const found = await lstat(at);
    const fault = found.isSymbolicLink()
      ? "it is a link and could lead elsewhere"
      : (found.mode & 0o002) !== 0
        ? `everybody may write there; run chmod o-w ${at}`
        : found.uid !== process.getuid?.()
          ? "it belongs to another user"
          : undefined;
    if (fault && (at === folder || !found.isSymbolicLink())) throw errors.PLUGINS_FOLDER(at, fault);
  }
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
