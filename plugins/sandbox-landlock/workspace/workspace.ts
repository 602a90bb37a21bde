import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { type NameTest, fileNames, isInside, secretFiles } from "@gantry/sdk/node";
import { aboutPath } from "./about-path.ts";
import { isGitState } from "./git-states.ts";
import { inGit } from "./git-directory.ts";
import type { ConfinedFacts, Fault, Request } from "../messages.ts";
import { isOfView, targetOf } from "./mask-paths.ts";
import { openIn } from "./open-in.ts";
import { type Found, type Unseen, WorkspaceWalk } from "./workspace-walk.ts";

/**
 * The secret and guarded files of the workspace: where they are, and whether masks lie over them.
 */
export class Workspace {
  readonly root: string;
  readonly #isSecret: NameTest;
  readonly #isGuarded: NameTest;
  readonly #masks: boolean;
  readonly #walk: WorkspaceWalk;
  /** The guarded files under masks, with the identity of each; undefined if no masks were laid. */
  #covered: ReadonlyMap<string, string> | undefined;

  constructor({ workspace, secret, guarded, namespaces, walls, ownerGit }: ConfinedFacts) {
    this.root = workspace;
    this.#isSecret = secretFiles(secret);
    this.#isGuarded = fileNames(guarded);
    this.#masks = namespaces;
    const wanted = { secret: this.#isSecret, guarded: this.#isGuarded };
    const open = openIn(workspace, walls?.read);
    this.#walk = new WorkspaceWalk({ root: workspace, wanted, owner: ownerGit, open });
  }

  get unseen(): Unseen | undefined {
    return this.#walk.unseen;
  }

  find(): Found {
    return this.#walk.find();
  }

  /** Notes that the walls hold these from here on. */
  cover({ guarded }: Found): void {
    this.#covered = new Map(guarded.map((at) => [at, this.#identity(at)]));
  }

  /** Returns why a run in the workspace itself may not begin. */
  begin(): Fault | undefined {
    if (!this.#masks) return undefined;
    const found = this.find();
    if (this.unseen) return { fault: "unseen", ...this.unseen };
    return this.#isBare(found) ? { fault: "stale" } : undefined;
  }

  refuse(request: Request): Fault | undefined {
    if (!("path" in request) || !isInside(request.path, this.root)) return undefined;
    const at = path.relative(this.root, request.path);
    const isSecret = this.#isSecret(at) || this.#isFurtherName(at);
    if (request.do !== "list" && isSecret) return { fault: "secret", path: request.path };
    return request.do === "write" && this.#isKept(at) ? { fault: "guarded", path: request.path } : undefined;
  }

  /**
   * Returns true for another name of a secret file: one that is covered, or that a look finds among
   * those with several.
   */
  #isFurtherName(at: string): boolean {
    const full = path.join(this.root, at);
    if (this.#covered) return isOfView(full);
    const about = aboutPath(full);
    return about?.isFile() === true && about.nlink > 1n && this.find().secret.includes(at);
  }

  /** Returns true for what git obeys too, and for what would make its folder a repository. */
  #isKept(at: string): boolean {
    const within = inGit(this.root, at, true);
    if (this.#isGuarded(at) || this.#walk.follows(at) || path.basename(at) === ".git") return true;
    if (within === undefined) return false;
    return isGitState(within) || this.#isGuarded(within) || within !== inGit(this.root, at);
  }

  #isBare({ secret, guarded }: Found): boolean {
    return (
      guarded.some((at) => this.#covered?.get(at) !== this.#identity(at)) ||
      secret.some((at) => targetOf(this.root, at).some((file) => existsSync(file) && !isOfView(file)))
    );
  }

  #identity(at: string): string {
    const about = statSync(path.join(this.root, at), { throwIfNoEntry: false });
    return about ? `${about.dev}:${about.ino}` : "";
  }
}
