import path from "node:path";
import { isInside, plainFileStart } from "@gantry/sdk/node";
import { namesIn } from "./folders.ts";

/** Settings are read as far as this, and further ones not at all: a person does not write such. */
const MAX_BYTES = 65_536;
const MAX_FILES = 16;
const MAX_TREES = 64;
const MAX_NAMED = 256;

/** A line, also behind its section's name, as git reads it: in any case, quoted or not. */
const SETTING = /(?:^|\])[\t ]*([\w-]+)[\t ]*=[\t ]*(?:"([^"\n]*)"|([^\n#;]*))/gim;
/** Their values are addresses, branches, or where git works. */
const NO_FILES = new Set(["url", "pushurl", "fetch", "push", "merge", "remote", "worktree", "excludesfile"]);

type Setting = readonly [key: string, value: string];

/**
 * Files and folders of a workspace that git follows from the settings of a repository, relative to the workspace: its folder
 * of hooks, wherever `core.hooksPath` puts it in each working tree, programs that settings start by a path, and what
 * settings include, with what stands in that.
 * @param root - the workspace; @param folder - the repository's own folder, `.git` for most
 */
export function gitFollows(root: string, folder: string): readonly string[] {
  const files = ["config", "config.worktree"].map((name) => path.join(folder, name));
  const settings: Setting[] = [];
  for (const file of files) {
    const read = settingsIn(file);
    settings.push(...read);
    const included = read
      .filter(([key]) => key === "path")
      .map(([, value]) => inHere(path.dirname(file), value));
    files.push(...included.slice(0, MAX_FILES - files.length).filter((one) => isInside(one, root)));
  }
  const trees = [
    path.basename(folder) === ".git" ? path.dirname(folder) : folder,
    ...settings.filter(([key]) => key === "worktree").map(([, value]) => path.resolve(folder, value)),
    ...further(folder),
  ].slice(0, MAX_TREES);
  const named = settings
    .filter(([key, value]) => !NO_FILES.has(key) && value.includes("/"))
    .slice(0, MAX_NAMED);
  const hooks = settings.filter(([key]) => key === "hookspath").slice(0, MAX_TREES);
  const followed = [...named, ...hooks].flatMap(([, value]) => trees.map((tree) => inHere(tree, value)));
  return [...new Set([...files.slice(2), ...followed])]
    .filter((one) => one !== root && isInside(one, root) && !trees.includes(one))
    .map((one) => path.relative(root, one));
}

/** The path that a value begins with, as `.tools/run.sh` in `!.tools/run.sh --all`. */
function inHere(folder: string, value: string): string {
  return path.resolve(folder, /^!?\s*(\S*)/.exec(value)?.[1] ?? "");
}

function settingsIn(file: string): readonly Setting[] {
  return [...(plainFileStart(file, MAX_BYTES) ?? "").matchAll(SETTING)].map((found) => [
    found[1]!.toLowerCase(),
    (found[2] ?? found[3] ?? "").trim(),
  ]);
}

/** The folders of further working trees, which have a file `.git` each. */
function further(folder: string): readonly string[] {
  const kept = path.join(folder, "worktrees");
  return namesIn(kept)
    .slice(0, MAX_TREES)
    .map((name) => (plainFileStart(path.join(kept, name, "gitdir"), MAX_BYTES) ?? "").trim())
    .filter((pointer) => pointer !== "")
    .map((pointer) => path.dirname(path.resolve(folder, pointer)));
}
