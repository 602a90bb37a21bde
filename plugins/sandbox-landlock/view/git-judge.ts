import path from "node:path";
import { looksLikeGit } from "../workspace/git-directory.ts";
import { isPlain } from "../workspace/git-states.ts";
import { entriesOf } from "../workspace/folders.ts";
import { MAX_BYTES, WORKTREE, isPlainLine } from "./plain-settings.ts";
import { type IndexNames, insideOf, isIndex, judgeIndex } from "./judge-index.ts";
import type { Merged } from "./merged.ts";
import type { Left } from "./upper.ts";

/**
 * Files that git itself writes into a repository and starts nothing for; anything else stays in the
 * layer.
 */
const WRITTEN = new RegExp(
  `^\\.git(/(worktrees/[^/]+|modules/.+))?(/(${[
    "HEAD|ORIG_HEAD|FETCH_HEAD|MERGE_(HEAD|MSG|MODE|RR|AUTOSTASH)|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|AUTO_MERGE",
    "SQUASH_MSG|COMMIT_EDITMSG|BISECT_[A-Z_]+|NOTES_[A-Z_]+|index|sharedindex\\.[\\da-f]+|packed-refs|shallow|description",
    "(objects|refs|logs|reftable|rr-cache|lfs|branches|worktrees|modules|hooks)(/.*)?",
    "info(/(exclude|refs|sparse-checkout|grafts))?|config|config\\.worktree|commondir|gitdir|locked",
  ].join("|")}))?$`,
);
const STATE = /^\.git(\/(worktrees\/[^/]+|modules\/.+))?\/(rebase-merge|rebase-apply|sequencer)(\/.*)?$/;
const HOOK_EXAMPLE = /^\.git\/(.*\/)?hooks\/[\w-]+\.sample$/;

/** Names by which git takes the folder around them for a repository. */
const MAKES_REPOSITORY = new Set(["HEAD", "objects", "refs", "commondir"]);
/** Names of a folder that hold nothing by which git starts a program, whoever made them. */
const STARTS_NOTHING = new Set(["HEAD", "objects", "refs"]);

/**
 * Returns true if git takes a folder for a repository, whatever it is called. What any of `sides`
 * has counts.
 */
export const isRepository = (at: string, ...sides: readonly Pick<Merged, "has">[]): boolean =>
  path.basename(at) === ".git" || looksLikeGit((name) => sides.some((side) => side.has(path.join(at, name))));

type Making = Pick<IndexNames, "workspace" | "merged" | "below">;

/**
 * Returns why something that makes a repository of its folder stays in the layer: the workspace has
 * other files in that folder, which were not settings of git when they came, and git would obey
 * them from then on.
 */
export function judgeMaking({ workspace, merged, below }: Making, at: string): string | undefined {
  const around = path.dirname(at) === "." ? "" : path.dirname(at);
  const made = { has: (name: string): boolean => name === at };
  if (!MAKES_REPOSITORY.has(path.basename(at)) || isRepository(around, below)) return undefined;
  if (!isRepository(around, merged, below, made)) return undefined;
  if (below.find(around)?.about.isDirectory() !== true) return undefined;
  const found = entriesOf(path.join(workspace, around)).find(({ name }) => !STARTS_NOTHING.has(name));
  return found && `git would follow ${path.join(around, found.name)}, which lies there already`;
}

/**
 * Returns undefined if git only writes such a file, and if not, why it stays in the layer.
 * `within`: its path as in `.git`.
 */
export function judgeInGit(names: IndexNames, one: Left, within: string): string | undefined {
  const { merged } = names;
  if (isIndex(within)) return judgeIndex(names, one.at);
  if (STATE.test(within)) {
    const isHarmless = one.kind === "folder" || isPlain(merged.find(one.at)?.file ?? "", one.name);
    return isHarmless ? undefined : "git would start a program when it goes on";
  }
  return WRITTEN.test(within) ? undefined : "git does not write such a file";
}

/**
 * Returns true for what `git init`, `git clone`, submodules and working trees leave at guarded
 * names: settings of which each line is known to start nothing, examples of hooks, and pointers to
 * repositories of the workspace.
 */
export function isPlainOfGit(workspace: string, merged: Merged, one: Left, within: string): boolean {
  if (one.kind === "folder") return /^\.git\/(.*\/)?hooks$/.test(within);
  if (one.kind !== "file" || one.about.size > BigInt(MAX_BYTES)) return false;
  if (HOOK_EXAMPLE.test(within)) return true;
  const text = merged.text(one.at, MAX_BYTES);
  if (text === undefined) return false;
  const folder = path.dirname(one.at);
  const leads = (written: string): boolean => leadsToRepository(workspace, merged, folder, written);
  switch (path.basename(within)) {
    case ".git":
      return text.startsWith("gitdir: ") && leads(text.slice("gitdir: ".length));
    case "commondir":
      return leads(text);
    case "gitdir":
      return path.basename(path.dirname(folder)) === "worktrees" && /^[^\n]+\/\.git\n?$/.test(text);
    case "config":
      return text
        .split("\n")
        .every((line) => isPlainLine(line) || worksWithin(workspace, merged, folder, line));
    default:
      return false;
  }
}

/** Returns true if the line names a folder of the workspace, to be written by git. */
function worksWithin(workspace: string, merged: Merged, folder: string, line: string): boolean {
  const written = WORKTREE.exec(line)?.[1];
  const target = written === undefined ? undefined : insideOf(workspace, folder, written);
  return target !== undefined && merged.find(target)?.about.isDirectory() === true;
}

/** Returns true for a way without links, since a link on it could lead elsewhere later. */
function leadsToRepository(workspace: string, merged: Merged, folder: string, written: string): boolean {
  const target = insideOf(workspace, folder, written.replace(/\n$/, ""));
  if (target === undefined || target === "") return false;
  return merged.find(target)?.about.isDirectory() === true && isRepository(target, merged);
}
