import path from "node:path";
import { plainFileStart } from "@gantry/sdk/node";

/** Settings are read as far as this, and further ones not at all: a person does not write such. */
export const MAX_BYTES = 65_536;
export const MAX_FILES = 16;

/** A line, also behind its section's name, as git reads it: in any case, quoted or not. */
const SETTING = /(?:^|\])[\t ]*([\w-]+)[\t ]*=[\t ]*(?:"([^"\n]*)"|([^\n#;]*))/gim;

export type Setting = readonly [key: string, value: string];

/** What git of one user obeys in every repository. */
export interface OwnerGit {
  readonly home: string;
  readonly settings: readonly Setting[];
  /** Where they stand, as real paths. */
  readonly files: readonly string[];
}

export const settingsIn = (file: string): readonly Setting[] => settingsOf(textOf(file));

/** Nothing where it is no plain file. */
export const textOf = (file: string): string => plainFileStart(file, MAX_BYTES) ?? "";

export function settingsOf(text: string): readonly Setting[] {
  return [...text.matchAll(SETTING)].map((found) => [
    found[1]!.toLowerCase(),
    (found[2] ?? found[3] ?? "").trim(),
  ]);
}

/** The path that a value begins with, as `.tools/run.sh` in `!.tools/run.sh --all`. */
export function pathIn(value: string, folder: string, home: string): string {
  const written = /^!?\s*(\S*)/.exec(value)?.[1] ?? "";
  return path.resolve(
    folder,
    written.replace(/^~(?=\/|$)/, () => home),
  );
}
