import { plainFileStart } from "../../shared/plain-file.ts";
import { aboutPath } from "./about-path.ts";

/**
 * Folders in which git keeps the next steps of a rebase, a series of patches or of picks; `git
 * status` advises to go on.
 */
const STATES = ["rebase-merge", "rebase-apply", "sequencer"];
/** A person does not begin what is longer. */
const MAX_BYTES = 65_536;

/** Files that git takes as a text, a number or a commit, and starts nothing for. */
const INERT = new Set(
  (
    "message message-squash message-fixup patch onto orig-head head-name head abort-safety end msgnum last next amend " +
    "stopped-sha rewritten rewritten-list rewritten-pending squash-onto current-fixups refs-to-delete update-refs " +
    "interactive quiet verbose signoff autostash drop_redundant_commits keep_redundant_commits cdate_is_adate " +
    "ignore_date allow_rerere_autoupdate no-reschedule-failed-exec reschedule-failed-exec applying rebasing " +
    "final-commit final-commit.bak info sign utf8 keep messageid scissors threeway original-commit dirtyindex"
  ).split(" "),
);
/** Steps of which none is `exec`. */
const STEP =
  /^\s*(#.*|(pick|edit|reword|squash|fixup|drop|revert|label|reset|merge|update-ref|noop|break|[persfdltmub])(\s.*)?)?$/;
/** The form that each line of a file must have. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  "git-rebase-todo": STEP,
  "git-rebase-todo.backup": STEP,
  done: STEP,
  todo: STEP,
  strategy: /^(ort|recursive|resolve|octopus|ours|subtree)?$/,
  strategy_opts: /^\s*$/,
  gpg_sign_opt: /^\s*$/,
  "gpg-sign-opt": /^\s*$/,
  "apply-opt": /^\s*$/,
  "author-script": /^(GIT_AUTHOR_(NAME|EMAIL|DATE)='([^'\\]|'\\['!]')*')?$/,
  // The names are options as git writes them, which it reads in any case of letters.
  opts: new RegExp(
    "^\\s*(\\[options\\]|(no-commit|edit|allow-empty|allow-empty-message|drop-redundant-commits|" +
      "keep-redundant-commits|signoff|record-origin|allow-ff|mainline|allow-rerere-auto|" +
      "default-msg-cleanup) = [\\w-]+)?$",
  ),
};

/** Returns true for what belongs to such a state, by its path in `.git`. */
export function isGitState(within: string): boolean {
  return STATES.includes(within.split("/")[1] ?? "");
}

/** Returns true for what is known to start no program when git goes on; `file`: its full path. */
export function isPlain(file: string, name: string): boolean {
  const about = aboutPath(file);
  if (!about?.isFile()) return false;
  if (INERT.has(name) || /^\d{4,}$/.test(name)) return true;
  const line = PLAIN[name];
  if (!line || about.size > MAX_BYTES) return false;
  return (
    plainFileStart(file, MAX_BYTES)
      ?.split("\n")
      .every((one) => line.test(one)) === true
  );
}
