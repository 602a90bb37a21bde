import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { Beneath } from "./beneath.ts";
import { CopyRoom, bytesIn, bytesOf } from "./copy-room.ts";
import type { Judge } from "./judge.ts";
import { foldersIn, isSame, notedIn } from "./left.ts";
import { type Kept, type Plan, type Step, besideOf, markOf } from "./step.ts";
import type { Left } from "./upper.ts";

export interface Facts {
  readonly id: string;
  readonly workspace: string;
  /** By the clock of the file systems, in ns: somebody else made all later changes. */
  readonly began: bigint;
  /** Names that the run was not shown. */
  readonly hidden: ReadonlySet<string>;
  /** Bytes that may be copied, if layer and workspace lie on two file systems. */
  readonly room: bigint | undefined;
}

const CHANGED = "it was changed meanwhile";
const STAYS = "security.guarded_files names it, so it stays";
const HIDDEN = "it is another name of something that security.secret_files names";
const TOO_LARGE = "there is no room for copies of all on another disk (runtime.max_disk_mb)";
const MODE = 0o777n;

/** Decides all of what becomes of a layer before anything of it is done. Changes nothing. */
export function makePlan(facts: Facts, left: readonly Left[], judge: Judge): Plan {
  using beneath = new Beneath(facts.workspace);
  const planner = new Planner(facts, judge, beneath);
  planner.folder(left);
  return { steps: planner.steps, kept: planner.kept };
}

class Planner {
  readonly steps: Step[] = [];
  readonly kept: Kept[] = [];
  readonly #facts: Facts;
  readonly #judge: Judge;
  readonly #beneath: Beneath;
  readonly #room: CopyRoom;
  readonly #clean = new Map<Left, boolean>();

  constructor(facts: Facts, judge: Judge, beneath: Beneath) {
    this.#facts = facts;
    this.#judge = judge;
    this.#beneath = beneath;
    this.#room = new CopyRoom(facts.room);
  }

  /** `isOpaque`: of a folder that the run made, though the workspace has one of that name. */
  folder(left: readonly Left[], isOpaque = false): void {
    for (const one of left) this.#plan(one, isOpaque);
  }

  #plan(one: Left, isWithinOpaque: boolean): void {
    const there = this.#find(one.at);
    const refused = this.#judge.refuse(one);
    if (refused !== undefined) return this.#keep(one.at, refused);
    if (one.kind !== "gone" && this.#facts.hidden.has(one.at)) return this.#keep(one.at, HIDDEN);
    if (one.kind === "gone") return there && this.#takeAway(one.at, there);
    // No mount lies over a link.
    if (there?.isSymbolicLink() && this.#judge.isGuarded(one.at, false)) return this.#keep(one.at, STAYS);
    if (one.kind === "folder") return this.#planFolder(one, there, isWithinOpaque);
    if (there && isSame(one, there)) return;
    if (!there) return this.#isMissed(one) ? this.#beside(one) : this.#put(one);
    if (!there.isDirectory()) return this.#isNew(there) ? this.#beside(one) : this.#put(one, there);
    return this.#remove(one.at, there) ? this.#put(one) : this.#beside(one);
  }

  /** The overlay notes `opaque` of the outermost folder alone. */
  #planFolder(one: Left, there: BigIntStats | undefined, isWithinOpaque: boolean): void {
    const isOpaque = isWithinOpaque || one.notes.includes("opaque");
    if (there?.isDirectory()) {
      this.#changeMode(one, there, isOpaque);
      this.folder(one.children, isOpaque);
      return isOpaque ? this.#emptyOfOthers(one) : undefined;
    }
    if (there) {
      if (this.#isNew(there) || !this.#remove(one.at, there)) return this.#beside(one);
    } else if (one.notes.includes("origin") && !isOpaque) return this.#beside(one);
    if (this.#isClean(one)) return this.#put(one);
    this.steps.push({ do: "folder", at: one.at, mode: Number(one.about.mode & MODE) });
    this.folder(one.children);
  }

  /** Returns true if all of it may be taken over, so that one step does it. */
  #isClean(one: Left): boolean {
    const known = this.#clean.get(one);
    if (known !== undefined) return known;
    const isClean = one.children.every(
      (child) =>
        child.kind !== "gone" &&
        this.#judge.refuse(child) === undefined &&
        (child.kind !== "folder" || this.#isClean(child)),
    );
    this.#clean.set(one, isClean);
    return isClean;
  }

  /** Takes away what the run removed with an earlier folder of this name. */
  #emptyOfOthers({ at, children }: Left): void {
    const own = new Set(children.map(({ name }) => name));
    for (const name of this.#namesIn(at).filter((one) => !own.has(one))) {
      const there = this.#find(`${at}/${name}`);
      if (there) this.#takeAway(`${at}/${name}`, there);
    }
  }

  #takeAway(at: string, there: BigIntStats): void {
    if (this.#isHidden(at, there)) return;
    if (this.#judge.isGuarded(at, there.isDirectory())) return this.#keep(at, STAYS);
    this.#remove(at, there);
  }

  /** Plans to remove something. Returns true if nothing of it stays. */
  #remove(at: string, there: BigIntStats): boolean {
    if (there.isDirectory() && this.#mustStay(at)) {
      this.#emptyOf(at);
      return false;
    }
    if (!there.isDirectory() && this.#isNew(there)) {
      this.#keep(at, `${CHANGED}, so it stays although the run removed it`);
      return false;
    }
    if (!this.#room.take(() => this.#bytesAt(at, there))) {
      this.#keep(at, `${TOO_LARGE}, so it stays although the run removed it`);
      return false;
    }
    this.steps.push({ do: "remove", at, was: markOf(there) });
    return true;
  }

  /** Returns what stands at a path as a copy takes it, with its holes filled. */
  #bytesAt(at: string, there: BigIntStats): bigint {
    if (!there.isDirectory()) return bytesOf(there);
    return this.#namesIn(at).reduce((sum, name) => {
      const inner = this.#find(`${at}/${name}`);
      return inner ? sum + this.#bytesAt(`${at}/${name}`, inner) : sum;
    }, bytesOf(there));
  }

  #emptyOf(at: string): void {
    for (const name of this.#namesIn(at)) {
      const there = this.#find(`${at}/${name}`);
      if (there) this.#takeAway(`${at}/${name}`, there);
    }
  }

  /** Returns true if anything beneath was hidden from the run, is guarded, or changed since. */
  #mustStay(at: string): boolean {
    return this.#namesIn(at).some((name) => {
      const [inner, there] = [`${at}/${name}`, this.#find(`${at}/${name}`)];
      if (!there) return false;
      const isFolder = there.isDirectory();
      if (this.#isHidden(inner, there) || this.#judge.isGuarded(inner, isFolder)) return true;
      return isFolder ? this.#mustStay(inner) : this.#isNew(there);
    });
  }

  #isHidden(at: string, there: BigIntStats): boolean {
    return this.#facts.hidden.has(at) || this.#judge.isSecret(at, there.isDirectory());
  }

  /** Returns true if it was taken away since the run saw it: an unchanged folder never had it. */
  #isMissed({ at, notes }: Left): boolean {
    const around = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "";
    const folder = around === "" ? lstatSync(this.#facts.workspace, { bigint: true }) : this.#find(around);
    return notes.includes("origin") && folder !== undefined && this.#isNew(folder);
  }

  #isNew({ ctimeNs }: BigIntStats): boolean {
    return ctimeNs >= this.#facts.began;
  }

  #changeMode({ at, about, notes }: Left, there: BigIntStats, isOpaque: boolean): void {
    const [mode, was] = [Number(about.mode & MODE), Number(there.mode & MODE)];
    if (mode === was || this.#isNew(there) || this.#judge.isGuarded(at, true)) return;
    if (notes.includes("origin") || isOpaque) this.steps.push({ do: "mode", at, mode, was });
  }

  #put(one: Left, there?: BigIntStats, to = one.at): void {
    const { at, about } = one;
    if (!this.#room.take(() => bytesIn(one) + (there ? bytesOf(there) : 0n)))
      return this.#keep(at, TOO_LARGE);
    const noted = notedIn(one);
    const is = markOf(about);
    const folders = foldersIn(one);
    const further = {
      ...(there && { was: markOf(there) }),
      ...(noted.length > 0 && { noted }),
      ...(folders.length > 0 && { folders }),
    };
    this.steps.push({ do: "put", at, to, is, ...further });
  }

  #beside(one: Left): void {
    if (one.kind === "folder" && !this.#isClean(one)) return this.#keep(one.at, CHANGED);
    const beside = besideOf(one.at, this.#facts.id);
    this.#put(one, undefined, beside);
    this.kept.push({ at: one.at, why: CHANGED, beside });
  }

  #keep(at: string, why: string): void {
    this.kept.push({ at, why });
  }

  #find(at: string): BigIntStats | undefined {
    try {
      return lstatSync(this.#beneath.name(at), { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
        return undefined;
      throw error;
    }
  }

  #namesIn(at: string): readonly string[] {
    return readdirSync(this.#beneath.name(at));
  }
}
