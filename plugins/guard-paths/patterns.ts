import { readdir } from "node:fs/promises";
import path from "node:path";
import { wildcards } from "@gantry/sdk/node";

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
    .filter((name) => wanted(name))
    .map((name) => folder + name);
}

/** As bash reads it, but wider: a bracket stands for any sign. A dot at the beginning has to be written. */
function patternOf(glob: string): (name: string) => boolean {
  const parts = glob.match(/\*+|\[[^\][]*\]|[^]/gu) ?? [];
  const fits = wildcards(
    parts.map((part) => {
      if (part.startsWith("*")) return { any: "many" };
      return part === "?" || part.length > 2 ? { any: "one" } : { sign: part };
    }),
  );
  return (name) => (glob.startsWith(".") || !name.startsWith(".")) && fits(name);
}
