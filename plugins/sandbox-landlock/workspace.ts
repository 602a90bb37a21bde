import { statSync } from "node:fs";
import path from "node:path";
import { fileNames, isInside } from "@gantry/sdk/node";
import { inGit } from "./git-directory.ts";
import { hideTexts } from "./hide-texts.ts";
import { KeptFiles } from "./kept-files.ts";
import type { ConfinedFacts, Fault, Request } from "./messages.ts";
import { WorkspaceWalk } from "./workspace-walk.ts";

type Facts = Pick<ConfinedFacts, "workspace" | "secret" | "guarded" | "namespaces">;

/** The secret and guarded files of the workspace: where they are, whether masks lie over them, what a run did to them. */
export class Workspace {
  readonly root: string;
  readonly #isSecret: (relative: string) => boolean;
  readonly #isGuarded: (relative: string) => boolean;
  readonly #masks: boolean;
  readonly #walk: WorkspaceWalk;
  readonly #guarded: KeptFiles;
  /** Remembered only where no mask lies over them. */
  readonly #secret: KeptFiles;
  #known = new Map<string, string>();

  constructor({ workspace, secret, guarded, namespaces }: Facts) {
    this.root = workspace;
    this.#isSecret = fileNames(secret);
    this.#isGuarded = fileNames(guarded);
    this.#masks = namespaces;
    this.#walk = new WorkspaceWalk(workspace, (at) => this.#isSecret(at) || this.#isGuarded(at));
    this.#guarded = new KeptFiles(workspace);
    this.#secret = new KeptFiles(workspace);
  }

  get tooLarge(): boolean {
    return this.#walk.tooLarge;
  }

  /** Absolute paths of what is there. */
  find(): { readonly secret: readonly string[]; readonly guarded: readonly string[] } {
    const { secret, guarded } = this.#find();
    const absolute = (at: string): string => path.join(this.root, at);
    return { secret: secret.map(absolute), guarded: guarded.map(absolute) };
  }

  /** Takes what is there now, masks included, as what the walls fit. */
  look(): void {
    this.#known = this.#identities();
  }

  /** Remembers everything before a run; `others`: when the first run began that is still under way. False where masks are missing by now, so that the run may not begin. */
  begin(others?: number): boolean {
    const { secret, guarded } = this.#find();
    if (this.#masks && this.#isNew([...secret, ...guarded])) return false;
    this.#guarded.remember(guarded, others);
    if (!this.#masks) this.#secret.remember(secret);
    return true;
  }

  /** Sets aside what a run can have made, and puts back what it changed where no mask was in its way; a phrase for each. */
  finish(): readonly string[] {
    const { guarded } = this.#find();
    if (this.#masks) return this.#guarded.setAside(guarded, true);
    return [...this.#guarded.setAside(guarded, false), ...this.#guarded.putBack(), ...this.#secret.putBack()];
  }

  /** A text without what stands in secret files that no mask lies over. */
  hide(text: string): string {
    return this.#masks ? text : hideTexts(text, this.#secret.texts());
  }

  refuse(request: Request): Fault | undefined {
    if (request.do === "run" || !isInside(request.path, this.root)) return undefined;
    const at = path.relative(this.root, request.path);
    if (request.do !== "list" && this.#isSecret(at)) return { fault: "secret", path: request.path };
    return request.do === "write" && this.#isKept(at) ? { fault: "guarded", path: request.path } : undefined;
  }

  /** True for what git obeys too, and for what would make a repository of the folder around it. */
  #isKept(at: string): boolean {
    const within = inGit(this.root, at, true);
    if (this.#isGuarded(at) || path.basename(at) === ".git") return true;
    return within !== undefined && (this.#isGuarded(within) || within !== inGit(this.root, at));
  }

  #find(): { readonly secret: readonly string[]; readonly guarded: readonly string[] } {
    const found = this.#walk.find();
    const secret = found.filter(this.#isSecret);
    return { secret, guarded: found.filter((at) => !secret.includes(at)) };
  }

  #isNew(found: readonly string[]): boolean {
    return found.some((at) => this.#known.get(at) !== this.#identity(at));
  }

  #identities(): Map<string, string> {
    return new Map(this.#walk.find().map((at) => [at, this.#identity(at)]));
  }

  #identity(at: string): string {
    const about = statSync(path.join(this.root, at), { throwIfNoEntry: false });
    return about ? `${about.dev}:${about.ino}` : "";
  }
}
