import path from "node:path";
import { plainFileStart } from "../../shared/plain-file.ts";

/** Settings are read as far as this, and further ones not at all: a person does not write such. */
export const MAX_BYTES = 65_536;
const MAX_FILES = 16;

/** A line, also behind its section's name, as git reads it: in any case, quoted or not. */
const SETTING = /(?:^|\])[\t ]*([\w-]+)[\t ]*=[\t ]*(?:"([^"\n]*)"|([^\n#;]*))/gim;

export type Setting = readonly [key: string, value: string];

/** The settings that one user's git obeys in every repository. */
export interface OwnerGit {
  readonly home: string;
  readonly settings: readonly Setting[];
  /** The real paths of the files that hold them. */
  readonly files: readonly string[];
}

function settingsOf(text: string): readonly Setting[] {
  return [...text.matchAll(SETTING)].map((found) => [
    found[1]!.toLowerCase(),
    (found[2] ?? found[3] ?? "").trim(),
  ]);
}

/**
 * Reads files of settings, with what they include. `find` gives the file to read for a path,
 * undefined if it does not count. `bytes`: how much was read.
 */
export function followSettings(
  named: readonly string[],
  home: string,
  find: (file: string) => string | undefined,
): Pick<OwnerGit, "settings" | "files"> & { readonly bytes: number } {
  const left = [...named];
  const settings: Setting[] = [];
  const files: string[] = [];
  let bytes = 0;
  for (const file of left) {
    const found = find(file);
    if (found === undefined) continue;
    const text = plainFileStart(found, MAX_BYTES) ?? "";
    const read = settingsOf(text);
    bytes += text.length;
    files.push(found);
    settings.push(...read);
    const included = read.filter(([key]) => key === "path").slice(0, MAX_FILES - left.length);
    const paths = included.map(([, value]) => pathIn(value, path.dirname(file), home));
    left.push(...paths.filter((one) => find(one) !== undefined));
  }
  return { settings, files, bytes };
}

/** Returns the path that a value begins with, as `.tools/run.sh` in `!.tools/run.sh --all`. */
export function pathIn(value: string, folder: string, home: string): string {
  const written = /^!?\s*(\S*)/.exec(value)?.[1] ?? "";
  return path.resolve(
    folder,
    written.replace(/^~(?=\/|$)/, () => home),
  );
}
