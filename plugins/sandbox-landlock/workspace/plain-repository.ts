import { lstatSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { inGit, isGitDirectory } from "./git-directory.ts";

/** Settings that are longer are not those of a new repository. */
export const MAX_BYTES = 65_536;

/** Lines of a new repository's settings that start nothing. */
const PLAIN_LINES = [
  /^\s*$/,
  /^\[(core|user|init|extensions|pull|push|fetch|submodule)\]$/,
  /^\[(remote|branch|submodule) "[\w./@-]+"\]$/,
  /^\s*(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|rebase)\s*=\s*[\w]*$/,
  /^\s*(name|email|remote|merge|defaultbranch|default|ff|prune)\s*=[\w\t .@<>/-]*$/i,
  /^\s*active\s*=\s*(true|false|\.)$/,
  /^\s*fetch\s*=\s*[+\w:/*.-]+$/,
  /^\s*(push)?url\s*=\s*(https?:\/\/|git@|ssh:\/\/|\.{0,2}\/)[\w@:/.~+-]*$/i,
];

/** Where it works. */
export const WORKTREE = /^\s*worktree\s*=\s*((?:\.\.\/)+[\w/-]+)$/;

/**
 * True for what `git init`, `git clone`, submodules and working trees leave in a repository that was not there before:
 * examples of hooks, which git does not run, settings of which each line is known to start nothing or stood in `before`,
 * and pointers to repositories of the workspace, which are judged themselves. Whatever is not known is not plain.
 */
export function isPlainRepository(root: string, relative: string, before: string): boolean {
  try {
    const file = path.join(root, relative);
    const about = lstatSync(file);
    if (!about.isFile() || about.size > MAX_BYTES) return false;
    const within = path.basename(file) === ".git" ? ".git" : (inGit(root, relative) ?? "");
    return isPlain(root, file, within, before);
  } catch {
    return false;
  }
}

function isPlain(root: string, file: string, within: string, before: string): boolean {
  if (/^\.git\/hooks\/[\w-]+\.sample$/.test(within)) return true;
  const text = readFileSync(file, "utf8");
  const folder = path.dirname(file);
  switch (within) {
    case ".git":
      return text.startsWith("gitdir: ") && leadsToGit(root, folder, text.slice("gitdir: ".length));
    case ".git/commondir":
      return leadsToGit(root, folder, text);
    case ".git/gitdir":
      return path.basename(path.dirname(folder)) === "worktrees" && /^[^\n]+\/\.git\n?$/.test(text);
    case ".git/config": {
      const known = new Set(before.split("\n"));
      return text
        .split("\n")
        .every((line) => known.has(line) || isPlainLine(line) || worksWithin(root, folder, line));
    }
    default:
      return false;
  }
}

export const isPlainLine = (line: string): boolean => PLAIN_LINES.some((one) => one.test(line));

/** Git writes and removes files where a repository works. */
function worksWithin(root: string, folder: string, line: string): boolean {
  const written = WORKTREE.exec(line)?.[1];
  return written !== undefined && isWithin(root, path.resolve(folder, written));
}

function leadsToGit(root: string, folder: string, written: string): boolean {
  const target = path.resolve(folder, written.replace(/\n$/, ""));
  return isWithin(root, target) && isGitDirectory(target);
}

/** Links on the way could lead elsewhere later. */
const isWithin = (root: string, target: string): boolean =>
  isInside(target, root) && realpathSync(target) === target;
