import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { plainFileStart } from "../../shared/plain-file.ts";
import { namesIn } from "./folders.ts";
import { MAX_BYTES, type OwnerGit, type Setting, followSettings, pathIn } from "./git-settings.ts";

const MAX_TREES = 64;
/** Git works in one; of several lines the last counts, and what is included may have one too. */
const MAX_OWN_TREES = 4;
const MAX_NAMED = 256;
const KIB = 1024;

/** Their values are addresses, branches, or where git works. */
const NO_FILES = new Set(["url", "pushurl", "fetch", "push", "merge", "remote", "worktree", "excludesfile"]);

export interface Follows {
  /** Relative to the workspace. */
  readonly paths: readonly string[];
  /** The effort of finding them: one for each KiB of settings and for each path. */
  readonly effort: number;
}

/**
 * Files and folders of a workspace that git follows from its settings, relative to the workspace:
 * its folder of hooks, wherever `core.hooksPath` puts it in each working tree, programs that
 * settings start by a path, and what settings include, with what stands in that.
 * @param root - the workspace; @param folder - the repository's own folder, `.git` for most; @param
 * owner - what counts in each repository
 */
export function gitFollows(root: string, folder: string, owner: OwnerGit): Follows {
  const own = ["config", "config.worktree"].map((name) => path.join(folder, name));
  const ofRoot = (file: string): string | undefined => (isInside(file, root) ? file : undefined);
  const { settings: written, files, bytes } = followSettings(own, owner.home, ofRoot);
  const settings = [...owner.settings, ...written];
  const trees = [
    path.basename(folder) === ".git" ? path.dirname(folder) : folder,
    ...settings
      .filter(([key]) => key === "worktree")
      .slice(-MAX_OWN_TREES)
      .map(([, value]) => path.resolve(folder, value)),
    ...further(folder),
  ].slice(0, MAX_TREES);
  const named = settings.filter(isFile).slice(0, MAX_NAMED);
  const hooks = settings.filter(([key]) => key === "hookspath").slice(0, MAX_TREES);
  const followed = [...named, ...hooks].flatMap(([, value]) =>
    trees.map((tree) => pathIn(value, tree, owner.home)),
  );
  const paths = [...new Set([...files.slice(own.length), ...owner.files, ...followed])]
    .filter((one) => one !== root && isInside(one, root) && !trees.includes(one))
    .map((one) => path.relative(root, one));
  return { paths, effort: 1 + bytes / KIB + followed.length };
}

const isFile = ([key, value]: Setting): boolean => !NO_FILES.has(key) && value.includes("/");

/** Returns the folders of further working trees, which have a file `.git` each. */
function further(folder: string): readonly string[] {
  const kept = path.join(folder, "worktrees");
  return namesIn(kept)
    .slice(0, MAX_TREES)
    .map((name) => (plainFileStart(path.join(kept, name, "gitdir"), MAX_BYTES) ?? "").trim())
    .filter((pointer) => pointer !== "")
    .map((pointer) => path.dirname(path.resolve(folder, pointer)));
}
