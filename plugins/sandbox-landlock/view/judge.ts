import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { type NameTest, fileNames, isInside, secretFiles } from "@gantry/sdk/node";
import { isPlainOfGit, isRepository, judgeInGit, judgeMaking } from "./git-judge.ts";
import { isGitState, isPlain } from "../workspace/git-states.ts";
import type { Merged } from "./merged.ts";
import type { Left } from "./upper.ts";

/** The meaning of the names in a workspace. */
export interface Names {
  readonly workspace: string;
  readonly secret: NameTest;
  readonly guarded: NameTest;
  /** Guarded by what a repository of the workspace names in its settings. */
  readonly followed: (relative: string) => boolean;
  /** Outside of the workspace, real paths that every run may read. */
  readonly open: readonly string[];
  /** Bytes of one run that may be copied from one file system to another; undefined: any. */
  readonly mostCopied?: bigint;
}

export const namesOf = (
  workspace: string,
  lists: { readonly secret: readonly string[]; readonly guarded: readonly string[] },
): Pick<Names, "workspace" | "secret" | "guarded"> => ({
  workspace,
  secret: secretFiles(lists.secret),
  guarded: fileNames(lists.guarded),
});

const OTHERS_RIGHTS = 0o6000n;
/**
 * The kernel takes no longer paths, and whoever lists the workspace after this may have none
 * either.
 */
const MOST_BYTES = 4_000;

/**
 * Why things of a layer are not taken over. Asks nothing but names, kinds and the beginnings of
 * files of repositories.
 */
export class Judge {
  readonly #names: Names;
  readonly #merged: Merged;
  readonly #below: Merged;
  /** The number of names in the layer of each file with several. */
  readonly #seen = new Map<bigint, number>();
  /** The folders around, with their paths as in `.git`. */
  readonly #within = new Map<string, string | undefined>();

  constructor(names: Names, merged: Merged, left: readonly Left[]) {
    this.#names = names;
    this.#merged = merged;
    this.#below = merged.below();
    const count = (one: Left): void => {
      if (one.kind === "file" && one.about.nlink > 1n)
        this.#seen.set(one.about.ino, (this.#seen.get(one.about.ino) ?? 0) + 1);
      one.children.forEach(count);
    };
    left.forEach(count);
  }

  isSecret(at: string, isFolder: boolean): boolean {
    const within = this.#asGit(at);
    return this.#names.secret(at, isFolder) || (within !== undefined && this.#names.secret(within, isFolder));
  }

  isGuarded(at: string, isFolder: boolean): boolean {
    const { guarded, followed } = this.#names;
    const within = this.#asGit(at);
    if (guarded(at, isFolder) || followed(at)) return true;
    if (path.basename(at) === ".git" && !isFolder) return true;
    return within !== undefined && within !== ".git" && guarded(within, isFolder);
  }

  /** Returns undefined if it may be taken over; what lies in a folder is judged by itself. */
  refuse(one: Left): string | undefined {
    return one.unreadable ?? this.#byKind(one) ?? this.#byName(one);
  }

  /**
   * Returns why something that stood at a path is not put back there as the workspace is now.
   * `from`: its file; `isTaken`: a person asked for the step that replaced it.
   */
  refuseBack(at: string, from: string, isTaken: boolean): string | undefined {
    const isFolder = lstatSync(from).isDirectory();
    const within = this.#asGit(at) ?? "";
    if (!isTaken && this.isGuarded(at, isFolder)) return "security.guarded_files names it by now";
    if (isGitState(within) && !isFolder && !isPlain(from, path.basename(at)))
      return "git would start a program when it goes on";
    const sides = { merged: this.#merged, below: this.#below };
    const making = judgeMaking({ workspace: this.#names.workspace, ...sides }, at);
    if (making !== undefined || !isFolder) return making;
    return readdirSync(from)
      .map((name) => this.refuseBack(`${at}/${name}`, `${from}/${name}`, isTaken))
      .find((why) => why !== undefined);
  }

  #byKind({ kind, about, at, target = "" }: Left): string | undefined {
    if (kind === "other") return "it is a device, a socket or a pipe";
    if (this.#names.workspace.length + at.length > MOST_BYTES) return "its path is too long";
    if (kind === "file" && (about.mode & OTHERS_RIGHTS) !== 0n) return "it runs with another's rights";
    if (kind === "file" && about.nlink > 1n && this.#seen.get(about.ino) !== Number(about.nlink))
      return "it has further names elsewhere";
    if (kind !== "link") return undefined;
    const open = (full: string): boolean => this.#names.open.some((root) => isInside(full, root));
    return this.#merged.leadsOut(at, target, open) ? "the link leads out of the workspace" : undefined;
  }

  #byName(one: Left): string | undefined {
    const { at, kind } = one;
    if (kind === "gone") return undefined;
    const isFolder = kind === "folder";
    if (this.isSecret(at, isFolder)) return "security.secret_files names it";
    const within = path.basename(at) === ".git" ? ".git" : this.#asGit(at);
    if (this.isGuarded(at, isFolder)) {
      const isPlain = within !== undefined && isPlainOfGit(this.#names.workspace, this.#merged, one, within);
      if (!isPlain && !(isFolder && this.#isCopied(one))) return "security.guarded_files names it";
    }
    if (within === undefined || within === ".git") return undefined;
    const names = {
      workspace: this.#names.workspace,
      merged: this.#merged,
      below: this.#below,
      isKept: (inner: string): boolean => this.#isKept(inner),
    };
    return judgeInGit(names, one, within) ?? judgeMaking(names, at);
  }

  /** Returns true for a path that is secret or guarded, be it a file or a folder. */
  #isKept(at: string): boolean {
    return [false, true].some((isFolder) => this.isSecret(at, isFolder) || this.isGuarded(at, isFolder));
  }

  /** Returns true for a copied folder, whose changes are judged by their own names. */
  #isCopied({ notes }: Left): boolean {
    return notes.includes("origin");
  }

  /**
   * Returns a path in a repository as it would be were that called `.git`; undefined outside of
   * repositories. What the run took away counts as there, since it may stay.
   */
  #asGit(at: string): string | undefined {
    const around = path.dirname(at);
    if (around === ".") return this.#isRepository("") ? `.git/${at}` : undefined;
    if (!this.#within.has(around)) {
      const isOwn = this.#isRepository(around);
      this.#within.set(around, isOwn ? ".git" : this.#asGit(around));
    }
    const within = this.#within.get(around);
    return within === undefined ? undefined : `${within}/${path.basename(at)}`;
  }

  #isRepository(at: string): boolean {
    return isRepository(at, this.#merged, this.#below);
  }
}
