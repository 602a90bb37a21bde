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

/** The setting of a repository's working tree. */
export const WORKTREE = /^\s*worktree\s*=\s*((?:\.\.\/)+[\w/-]+)$/;

export const isPlainLine = (line: string): boolean => PLAIN_LINES.some((one) => one.test(line));
