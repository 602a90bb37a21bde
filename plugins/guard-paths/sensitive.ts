import { posix } from "node:path";
import { fileNames, secretFiles } from "@gantry/sdk/node";

const obeyed =
  /(^|\/)[^/]*\.git\/(.+\/)?((hooks|rebase-merge|rebase-apply|sequencer)(\/|$)|(config(\.worktree)?|commondir|gitdir|info\/attributes|objects\/info\/alternates)$)/;

/** The names that guards know, those that the owner lists among them. */
export interface SensitiveNames {
  /**
   * True for a path that holds secrets by its name: in any case, and whatever dots or blanks end
   * it.
   */
  isSecret(path: string): boolean;
  /**
   * True for a file that makes programs start others: in a repository, or among those that the
   * owner lists.
   */
  isObeyed(path: string): boolean;
}

/**
 * `homes`: those in the workspace, relative to it; a login there takes programs from their `bin`.
 */
export function sensitiveNames(
  secret: readonly string[],
  guarded: readonly string[],
  homes: readonly string[] = [],
): SensitiveNames {
  const isGuarded = inAnyForm(fileNames(guarded));
  const programs = homes.map((home) => posix.join(home.toLowerCase(), "bin"));
  return {
    isSecret: inAnyForm(secretFiles(secret)),
    isObeyed(path) {
      const at = path.toLowerCase();
      const isStarted = programs.some((bin) => at === bin || at.startsWith(`${bin}/`));
      return isStarted || obeyed.test(at) || isGuarded(path);
    },
  };
}

/**
 * True for the folder in which git keeps its settings and hooks, or a file that says where that is.
 */
export function isRepository(path: string): boolean {
  return /(^|\/)\.git$/i.test(path);
}

/** A file system may not tell dots and blanks at the end apart. */
function inAnyForm(fits: (path: string) => boolean): (path: string) => boolean {
  return (path) => fits(path) || fits(plain(path));
}

function plain(path: string): string {
  return path
    .toLowerCase()
    .split(/[/\\]/)
    .map((part) => part.replace(/(?:::\$data)?(?<![\s.])[\s.]*$/, ""))
    .join("/");
}
