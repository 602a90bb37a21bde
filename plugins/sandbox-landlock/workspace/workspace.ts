import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { type NameTest, fileNames, isInside, secretFiles } from "@gantry/sdk/node";
import { isGitState } from "./git-states.ts";
import { inGit } from "./git-directory.ts";
import { fewOf } from "./findings.ts";
import { renameForeign } from "./foreign-names.ts";
import { hideTexts } from "./hide-texts.ts";
import { type Before, KeptFiles, type Told } from "./kept-files.ts";
import type { ConfinedFacts, Fault, Request } from "../messages.ts";
import { MaskWatch } from "./mask-watch.ts";
import { isOfView, targetOf } from "./mask-paths.ts";
import { openIn } from "./open-in.ts";
import { NotWithheld, type Watched, isWithheld, withhold } from "./withheld.ts";
import { type Found, type Unseen, WorkspaceWalk } from "./workspace-walk.ts";

/** Files that are named in one phrase; folders within folders whose names are mended, one level a look. */
const [MAX_NAMED, MAX_LOOKS] = [5, 64];

/** The secret and guarded files of the workspace: where they are, whether masks lie over them, what a run did to them. */
export class Workspace {
  readonly root: string;
  readonly #isSecret: NameTest;
  readonly #isGuarded: (relative: string) => boolean;
  readonly #masks: boolean;
  readonly #open: readonly string[];
  readonly #walk: WorkspaceWalk;
  readonly #guarded: KeptFiles;
  /** What is remembered of secret files; of those that masks lie over, only that they are there. */
  readonly #secret: KeptFiles;
  /** Secret files as they are when a run has ended, with those that were not there when it began. */
  readonly #late: KeptFiles;
  /** What masks lie over, with what it is. */
  #covered = new Map<string, string>();
  #watch: MaskWatch | undefined;
  #told: Told | undefined;
  /** By the last look after a run. */
  #found: Found = { secret: [], guarded: [] };
  /** When the first run began that is still under way, in ms since 1970. */
  #began = 0;
  /** True for a folder that stood there before a run. */
  #wasThere: ReturnType<WorkspaceWalk["present"]> = () => false;
  /** Secret files over which masks lie. */
  masked: readonly string[] = [];

  constructor({ workspace, secret, guarded, namespaces, walls, ...facts }: ConfinedFacts) {
    this.root = workspace;
    const isNamed = secretFiles(secret);
    this.#isSecret = (relative, isFolder) => isNamed(relative, isFolder) || isWithheld(relative);
    this.#isGuarded = fileNames(guarded);
    this.#masks = namespaces;
    this.#open = openIn(workspace, walls?.read);
    const wanted = { secret: this.#isSecret, guarded: this.#isGuarded };
    const walked = { root: workspace, wanted, owner: facts.ownerGit, open: this.#open };
    this.#walk = new WorkspaceWalk({ ...walked, most: facts.mostFolders });
    this.#guarded = new KeptFiles(workspace);
    this.#secret = new KeptFiles(workspace);
    this.#late = new KeptFiles(workspace);
  }

  get unseen(): Unseen | undefined {
    return this.#walk.unseen;
  }

  find(): Found {
    return this.#walk.find();
  }

  /** The walls hold these from here on. */
  cover({ secret, guarded }: Found): void {
    this.#covered = new Map(guarded.map((at) => [at, this.#identity(at)]));
    const files = secret.flatMap((at) => targetOf(this.root, at));
    this.masked = files;
    if (files.length === 0) return;
    // With a slash before it no name is an exception.
    const names = files.map((at) => `/${path.relative(this.root, at)}`);
    const [isFile, isFileOrCopy] = [fileNames(names), fileNames(names, { copies: true })];
    const isCopy = (at: string): boolean => isFileOrCopy(at) && !isFile(at);
    const isBare = (): string | undefined => files.find((at) => !isOfView(at));
    this.#watch = new MaskWatch(files, isBare, (at) => isCopy(path.relative(this.root, at)));
  }

  /** Calls `stop` with a secret file from which its mask has fallen; gives what ends the watch. */
  watch(stop: (file: string) => void): () => void {
    return this.#watch?.begin(stop) ?? (() => undefined);
  }

  /** True once a mask has fallen: what is opened from then on may be a secret file under another name. */
  get isBroken(): boolean {
    return this.#watch?.fallen !== undefined;
  }

  /** Withholds what changed since then, without knowing what was there before. Gives why it cannot. */
  decide(since: number): Fault | undefined {
    const { left } = this.#withhold(since, () => false);
    return left && { fault: "undecided", ...left };
  }

  /** Remembers everything before a run; `others`: when the first run began that is still under way. Gives why it may not begin. */
  begin(others?: number): Fault | undefined {
    const found = this.find();
    if (this.unseen) return { fault: "unseen", ...this.unseen };
    if (this.#masks && (this.isBroken || this.#isBare(found))) return { fault: "stale" };
    this.#began = others ?? Date.now();
    this.#wasThere = this.#walk.present();
    this.#guarded.remember(found.guarded, others);
    this.#secret.remember(found.secret);
    const isAsTold = !this.#told || this.#guarded.isAsTold(this.#told, this.#masks);
    // Another process tells of what changed, as nothing has run there.
    return isAsTold ? undefined : { fault: "stale" };
  }

  /** What was guarded as the first run began; undefined for a later one. */
  before(): Told | undefined {
    return this.#told ? undefined : (this.#told = this.#guarded.told(this.#masks));
  }

  /** Undoes what a run did that was lost: in another process, with what it told of before; a phrase for each. */
  lookAfter(before: Before, began: number): readonly string[] {
    this.#guarded.restore(before, began);
    return fewOf([...this.#renameForeign(), ...this.#undo(before.wasHeld)]);
  }

  /**
   * Sets aside what a run can have made, and puts back what it changed where no mask was in its way; a phrase for each.
   * `undecided`: since when files may be secret, where one of them could not be withheld.
   */
  finish(): { readonly findings: readonly string[]; readonly undecided?: number } {
    const left = this.#withholdLate();
    const renamed = this.#renameForeign();
    const over = this.#withholdOver();
    const unseen = this.unseen ? [`not looked through: ${this.unseen.path} (${this.unseen.reason})`] : [];
    const secret = this.#secret.putBack(this.#masks, (file) => this.#isGuarded(file));
    const undone = fewOf([...this.#undo(this.#masks), ...secret]);
    this.#late.remember(this.#found.secret.filter((at) => !this.#masks || this.#isBareSecret(at)));
    return { ...left, findings: [...left.findings, ...renamed, ...over, ...unseen, ...undone] };
  }

  #undo(wereHeld: boolean): readonly string[] {
    return [...this.#guarded.setAside(this.#found.guarded, wereHeld), ...this.#guarded.putBack(wereHeld)];
  }

  /** A text without what stands in secret files that no mask lies over. */
  hide(text: string): string {
    const fallen = this.#watch?.fallen;
    if (fallen !== undefined)
      return text && `[taken out: ${path.relative(this.root, fallen)} was saved anew]\n`;
    return hideTexts(text, [...this.#secret.texts(), ...this.#late.texts()]);
  }

  refuse(request: Request): Fault | undefined {
    if (!("path" in request) || !isInside(request.path, this.root)) return undefined;
    const at = path.relative(this.root, request.path);
    if (isWithheld(at)) return { fault: "withheld", path: request.path };
    // A file that is covered is secret by another of its names.
    const isSecret = this.#isSecret(at) || (this.#masks && isOfView(request.path));
    if (request.do !== "list" && isSecret) return { fault: "secret", path: request.path };
    return request.do === "write" && this.#isKept(at) ? { fault: "guarded", path: request.path } : undefined;
  }

  /** Looks through all, and gives what a run made a name that can be looked at: none is without before it. */
  #renameForeign(): readonly string[] {
    const renamed: string[] = [];
    this.#found = this.find();
    for (let look = 0; look < MAX_LOOKS && this.#walk.foreign.length > 0; look++) {
      renamed.push(...this.#walk.foreign.flatMap(renameForeign).map((at) => path.relative(this.root, at)));
      this.#found = this.find();
    }
    return renamed.slice(0, MAX_NAMED).map((at) => `renamed, since its name was not UTF-8: ${at}`);
  }

  /** Of a run that made more folders than are looked through, all that it made gets names that no tool opens. */
  #withholdOver(): readonly string[] {
    if (!this.#walk.isOver) return [];
    const { names, left } = this.#withhold(this.#began, this.#wasThere);
    if (left) return [notWithheld(left)];
    this.#found = this.find();
    return [`withheld: ${names.length} that changed, since the run made too many folders or repositories`];
  }

  /** What changed after a mask fell. */
  #withholdLate(): ReturnType<Workspace["finish"]> {
    const fallen = this.#watch?.fallen;
    if (fallen === undefined) return { findings: [] };
    const since = this.#watch!.held;
    const { names, left } = this.#withhold(since, this.#wasThere);
    if (left) return { findings: [notWithheld(left)], undecided: since };
    const some = [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ["…"] : [])].join(", ");
    const saved = path.relative(this.root, fallen);
    const what = `withheld: ${names.length} that changed as ${saved} was saved anew and may hold it (${some})`;
    const cure = "each now ends in .withheld-… and no tool reads it: look at it, then rename or remove it";
    return { findings: names.length > 0 ? [`${what}; ${cure}`] : [] };
  }

  /** Gives the old names; `left`: what cannot be withheld. */
  #withhold(
    since: number,
    wasThere: Watched["wasThere"],
  ): { readonly names: readonly string[]; readonly left?: Unseen } {
    const watched = { root: this.root, open: this.#open, masks: this.#masks, isSecret: this.#isSecret };
    try {
      return { names: withhold({ ...watched, wasThere }, since) };
    } catch (error) {
      if (!(error instanceof NotWithheld)) throw error;
      return { names: [], left: { path: error.path, reason: error.message } };
    }
  }

  /** True for what git obeys too, and for what would make a repository of the folder around it. */
  #isKept(at: string): boolean {
    const within = inGit(this.root, at, true);
    if (this.#isGuarded(at) || this.#walk.follows(at) || path.basename(at) === ".git") return true;
    if (within === undefined) return false;
    return isGitState(within) || this.#isGuarded(within) || within !== inGit(this.root, at);
  }

  #isBare({ secret, guarded }: Found): boolean {
    return (
      guarded.some((at) => this.#covered.get(at) !== this.#identity(at)) ||
      secret.some((at) => this.#isBareSecret(at))
    );
  }

  #isBareSecret(at: string): boolean {
    return targetOf(this.root, at).some((file) => existsSync(file) && !isOfView(file));
  }

  #identity(at: string): string {
    const about = statSync(path.join(this.root, at), { throwIfNoEntry: false });
    return about ? `${about.dev}:${about.ino}` : "";
  }
}

const notWithheld = ({ path: at, reason }: Unseen): string => `NOT withheld: ${at} (${reason})`;
