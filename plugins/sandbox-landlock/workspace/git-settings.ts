import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";

/** Settings are read as far as this, and further ones not at all: a person does not write such. */
const MAX_BYTES = 65_536;
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

export function settingsIn(file: string, links = false): readonly Setting[] {
  return [...textOf(file, links).matchAll(SETTING)].map((found) => [
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

/**
 * A run may have put anything there: a pipe is not waited for, nothing read beyond the bound, and a link followed only with
 * `links`, where no run writes.
 */
export function textOf(file: string, links = false): string {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const fd = openSync(file, O_RDONLY | O_NONBLOCK | (links ? 0 : O_NOFOLLOW));
    try {
      if (!fstatSync(fd).isFile()) return "";
      const buffer = Buffer.alloc(MAX_BYTES);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, MAX_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
