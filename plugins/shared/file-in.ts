import { realpath, stat } from "node:fs/promises";
import path from "node:path";

/** Returns the file of a folder that a package.json names; undefined if it is not a file inside. */
export async function fileIn(folder: string, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const file = path.resolve(folder, name);
  const real = await realpath(file).catch(() => "");
  const isInside = real.startsWith((await realpath(folder)) + path.sep);
  return isInside && (await stat(real)).isFile() ? file : undefined;
}
