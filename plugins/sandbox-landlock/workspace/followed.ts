import path from "node:path";
import { gitFollows } from "./git-follows.ts";
import { ledTo } from "./mask-paths.ts";
import type { OwnerGit } from "./git-settings.ts";

/** Most effort at every look: a moment's work. */
const MAX_EFFORT = 20_000;

/**
 * The paths that the repositories of a workspace name in their settings, and the targets of guarded
 * links.
 */
export class Followed {
  readonly #root: string;
  readonly #owner: OwnerGit;
  #paths: ReadonlySet<string> = new Set();
  /** False if the last look ended before it had found everything. */
  isWhole = true;

  constructor(root: string, owner: OwnerGit) {
    this.#root = root;
    this.#owner = owner;
  }

  has(relative: string): boolean {
    return this.#paths.has(relative);
  }

  /**
   * To be called at each look: a change within a file leaves its folder as it was. Takes the
   * repositories' own folders and the guarded links. Returns true if they name anything else than
   * before.
   */
  look(repositories: readonly string[], links: readonly string[]): boolean {
    const now = new Set(links.flatMap((at) => ledTo(this.#root, at)));
    let left = MAX_EFFORT - now.size;
    // The owner's own settings count before there is any repository.
    for (const at of new Set([".git", ...repositories])) {
      const folder = path.join(this.#root, at);
      const { paths, effort } = gitFollows(this.#root, folder, this.#owner);
      for (const one of paths) now.add(one);
      left -= effort;
      if (left < 0) break;
    }
    this.isWhole = left >= 0;
    const before = this.#paths;
    this.#paths = now;
    return before.size !== now.size || [...now].some((at) => !before.has(at));
  }
}
