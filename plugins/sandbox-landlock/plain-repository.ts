import { readFileSync } from "node:fs";

/** Lines of a new repository's settings that start nothing. */
const PLAIN_LINES = [
  /^\s*$/,
  /^\[(core|user|init|extensions|pull|push|fetch)\]$/,
  /^\[(remote|branch) "[\w./@-]+"\]$/,
  /^\s*(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|rebase)\s*=\s*[\w]*$/,
  /^\s*(name|email|remote|merge|defaultbranch|default|ff|prune)\s*=\s*[\w .@<>/-]*$/i,
  /^\s*fetch\s*=\s*[+\w:/*.-]+$/,
  /^\s*worktree\s*=\s*(\.\.\/)+[\w-]+$/,
  /^\s*(push)?url\s*=\s*(https?:\/\/|git@|ssh:\/\/|\.{0,2}\/)[\w@:/.~+-]*$/i,
];

/** What stands in place of a repository in its submodules and further working trees. */
const POINTER = /^gitdir: [\w./ -]*\.git\/(modules|worktrees)\/[\w.-]+\n?$/;

/**
 * True for what `git init` and `git clone` leave in a repository that was not there before: examples of hooks, which git
 * does not run, and settings of which each line is known to start nothing. Whatever is not known is not plain.
 */
export function isPlainRepository(relative: string, file: string): boolean {
  if (/(^|\/)\.git\/hooks\/[\w-]+\.sample$/.test(relative)) return true;
  try {
    const text = readFileSync(file, "utf8");
    if (/(^|\/)\.git$/.test(relative)) return POINTER.test(text);
    if (!/(^|\/)\.git\/(modules\/[\w-]+\/)?config$/.test(relative)) return false;
    const lines = text.split("\n");
    return lines.every((line) => PLAIN_LINES.some((plain) => plain.test(line)));
  } catch {
    return false;
  }
}
