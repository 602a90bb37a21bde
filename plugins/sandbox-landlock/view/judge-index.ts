import path from "node:path";
import { plainFileBytes } from "../../shared/plain-file.ts";
import { MAX_INDEX_BYTES, type ObjectFormat, leavesTree, readGitIndex } from "./git-index.ts";
import type { IndexEntry } from "./git-index.ts";
import type { Merged } from "./merged.ts";
import { MAX_BYTES } from "./plain-settings.ts";

const INDEX = /^\.git(\/(worktrees\/[^/]+|modules\/.+))?\/(index|sharedindex\.[\da-f]+)$/;

/**
 * Returns true for a list of the files that git writes at a checkout. `within`: its path as in
 * `.git`.
 */
export const isIndex = (within: string): boolean => INDEX.test(within);

/** The facts by which an index is judged. */
export interface IndexNames {
  readonly workspace: string;
  /** With the layer, and without. */
  readonly merged: Merged;
  readonly below: Merged;
  /** True for a path of the workspace that is guarded or secret, whatever stands there. */
  readonly isKept: (at: string) => boolean;
}

/**
 * Returns why an index stays in the layer: git checks none of its names when it reads it, and
 * writes each of them at the next checkout. The indexes that stand beside it already say what a
 * checkout would write without it.
 */
export function judgeIndex(names: IndexNames, at: string): string | undefined {
  const { merged, below } = names;
  const folder = folderOf(at);
  const formats = new Set([...formatsOf(names, folder, merged), ...formatsOf(names, folder, below)]);
  const known = new Set<string>();
  for (const format of formats)
    for (const one of [at, path.join(path.dirname(at), "index")])
      entriesOf(below, one, format)?.forEach(({ print }) => known.add(print));
  const trees = treesOf(names, folder);
  for (const format of formats) {
    const entries = entriesOf(merged, at, format);
    if (!entries) return "it is not an index of git that can be read";
    const bad = entries.find(({ name }) => leavesTree(name));
    if (bad)
      return `a checkout would write ${JSON.stringify(bad.name)}, which is outside of its working tree`;
    const other = entries.find(
      ({ name, print }) =>
        !known.has(print) && trees.some((tree) => names.isKept(path.posix.join(tree, name))),
    );
    if (other) return `a checkout would write ${JSON.stringify(other.name)}, which is guarded or secret`;
  }
  return undefined;
}

const folderOf = (at: string): string => (path.dirname(at) === "." ? "" : path.dirname(at));

function entriesOf(side: Merged, at: string, format: ObjectFormat): readonly IndexEntry[] | undefined {
  const found = side.find(at);
  if (!found?.about.isFile() || found.about.size > BigInt(MAX_INDEX_BYTES)) return undefined;
  const bytes = plainFileBytes(found.file, Number(found.about.size));
  return bytes && readGitIndex(bytes, format);
}

/**
 * Returns the formats of object ids that the repository's settings, which several working trees
 * share, allow.
 */
function formatsOf({ workspace }: IndexNames, folder: string, side: Merged): readonly ObjectFormat[] {
  const common = side.text(path.join(folder, "commondir"), MAX_BYTES)?.replace(/\n$/, "");
  const shared = common === undefined ? folder : insideOf(workspace, folder, common);
  if (shared === undefined) return ["sha1", "sha256"];
  const settings = side.text(path.join(shared, "config"), MAX_BYTES) ?? "";
  return /objectformat/i.test(settings) && /sha256/i.test(settings) ? ["sha256"] : ["sha1"];
}

/**
 * Returns the folders that the names of an index may be relative to; names that fit in any folder
 * need none.
 */
function treesOf({ workspace, merged, below }: IndexNames, folder: string): readonly string[] {
  const trees = ["", folder.replace(/(?:^|\/)\.git(?:\/.*)?$/s, "")];
  for (const side of [merged, below]) {
    const pointer = side.text(path.join(folder, "gitdir"), MAX_BYTES)?.trim();
    if (pointer !== undefined) trees.push(insideOf(workspace, folder, path.dirname(pointer)) ?? "");
    const settings = side.text(path.join(folder, "config"), MAX_BYTES) ?? "";
    const tree = /^\s*worktree\s*=\s*(.+)$/im.exec(settings)?.[1]?.trim();
    if (tree !== undefined) trees.push(insideOf(workspace, folder, tree) ?? "");
  }
  return [...new Set(trees)];
}

/** Returns a path that settings name, relative to the workspace; undefined outside of it. */
export function insideOf(workspace: string, folder: string, written: string): string | undefined {
  const relative = path.relative(workspace, path.resolve(workspace, folder, written));
  return relative === ".." || relative.startsWith("../") ? undefined : relative;
}
