import { readdir } from "node:fs/promises";
import path from "node:path";

/** Folders of more entries are judged by the first ones. */
const MAX_ENTRIES = 10_000;

/** The paths that a shell would put in place of a pattern, as far as its last folder is written out. Never throws. */
export async function fitting(pattern: string, cwd: string): Promise<readonly string[]> {
  const at = pattern.lastIndexOf("/");
  const folder = pattern.slice(0, at + 1);
  if (/[*?[\]]/.test(folder)) return [];
  const wanted = patternOf(pattern.slice(at + 1));
  const names = await readdir(path.resolve(cwd, folder || ".")).catch(() => []);
  return names
    .slice(0, MAX_ENTRIES)
    .filter((name) => wanted.test(name))
    .map((name) => folder + name);
}

/** As bash reads it, but wider: a bracket stands for any sign. A dot at the beginning has to be written. */
function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replace(/\[[^\]]*\]/g, ".")
    .replaceAll("?", ".")
    .replace(/\*+/g, ".*");
  return new RegExp(`^${glob.startsWith(".") ? "" : "(?!\\.)"}${source}$`, "s");
}
