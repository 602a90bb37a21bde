import { type BigIntStats, lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { asError } from "@gantry/sdk/node";
import { Beneath } from "./beneath.ts";
import { renameOrCopy } from "./copies.ts";
import { changeMode } from "./folder-mode.ts";
import { type Kept, type Mark, type Put, type Step, markOf } from "./step.ts";
import { type Done, type Places, aboutOf } from "./steps.ts";

const MILLION = 1_000_000n;
const CHANGED = "it was changed since";

/**
 * Something that an undo gave back: giving it back changes its change time, and nothing else of it.
 */
export interface Restored {
  readonly ino: string;
  /** Its change time since, and before the run, in ns. */
  readonly ctime: string;
  readonly was: string;
}

/** Returns why what stood at `at`, and is kept as `old`, may not be given back. */
export type RefuseBack = (at: string, old: string, isTaken: boolean) => string | undefined;

export interface Undone {
  /** The changes that were not taken back. */
  readonly kept: readonly Kept[];
  readonly restored: readonly Restored[];
}

/**
 * Takes back the steps of a plan, the last first; what the run had put there goes back into its
 * folder. What somebody changed since stays. `done`: when the steps were done; `restored`: by the
 * undo of later runs; `refuse`: asked before anything is given back.
 */
export function undoSteps(
  places: Places,
  steps: readonly Step[],
  done: readonly Done[],
  restored: readonly Restored[] = [],
  refuse: RefuseBack = () => undefined,
): Undone {
  const undoing = new Undoing(places, done, restored, refuse);
  for (const [number, step] of [...steps.entries()].toReversed()) undoing.undo(step, number);
  return undoing;
}

class Undoing implements Undone {
  readonly kept: Kept[] = [];
  readonly restored: Restored[] = [];
  readonly #places: Places;
  readonly #done: readonly Done[];
  /** The folder of what the run had put into the workspace, by the number of its step. */
  readonly #undone: string;
  /** The change times of what was given back, by what it has now. */
  readonly #before: Map<string, bigint>;
  readonly #refuse: RefuseBack;

  constructor(places: Places, done: readonly Done[], restored: readonly Restored[], refuse: RefuseBack) {
    this.#refuse = refuse;
    this.#places = places;
    this.#done = done;
    this.#before = new Map(restored.map(({ ino, ctime, was }) => [`${ino}:${ctime}`, BigInt(was)]));
    this.#undone = path.join(path.dirname(places.old), "undone");
    mkdirSync(this.#undone, { recursive: true, mode: 0o700 });
  }

  undo(step: Step, number: number): void {
    using there = new Beneath(this.#places.workspace);
    try {
      this.#undo(step, number, there);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const at = step.do === "put" ? step.to : step.at;
      this.#keep(at, `it could not be taken back (${code ?? asError(error).message})`);
    }
  }

  #undo(step: Step, number: number, there: Beneath): void {
    const old = path.join(this.#places.old, String(number));
    const refused = this.#refused(step, number, old);
    if (refused !== undefined) return this.#keep(step.at, refused);
    switch (step.do) {
      case "put":
        return this.#takeBack(step, number, old, there);
      case "remove":
        if (!isThere(old)) return;
        if (isThere(there.name(step.at))) return this.#keep(step.at, "something else has its name by now");
        return this.#giveBack(old, there.name(step.at), step.was);
      case "folder":
        if (aboutOf(there.name(step.at))?.isDirectory()) this.#removeEmpty(step.at, there);
        return;
      case "mode":
        if (!changeMode(there, step.at, step.mode, step.was)) this.#keep(step.at, CHANGED);
    }
  }

  #refused(step: Step, number: number, old: string): string | undefined {
    const at = step.do === "put" && step.was ? step.to : step.do === "remove" ? step.at : undefined;
    if (at === undefined || !isThere(old)) return undefined;
    return this.#refuse(at, old, number >= (this.#done[0]?.steps ?? 0));
  }

  #takeBack(step: Put, number: number, old: string, there: Beneath): void {
    const at = there.name(step.to);
    const undone = path.join(this.#undone, String(number));
    const since = BigInt(this.#done.find(({ steps }) => steps > number)?.ns ?? 0);
    const found = aboutOf(at);
    if (step.was && !isThere(old)) return this.#keep(step.to, CHANGED);
    const own = new Set([step.is.ino, ...(step.folders ?? [])]);
    const isChanged = ({ ino, ctimeNs }: BigIntStats): boolean =>
      (this.#before.get(`${ino}:${ctimeNs}`) ?? ctimeNs) >= since;
    const put = { isChanged, own };
    if (found && !isAsPut(found, step, put)) return this.#keep(step.to, CHANGED);
    if (found?.isDirectory() && changedIn(at, put)) {
      if (step.was) return this.#keep(step.to, CHANGED);
      return this.#takeBackFrom(step.to, undone, put, there);
    }
    if (found) this.#takeAway(at, found, undone);
    if (step.was && isThere(old)) this.#giveBack(old, there.name(step.to), step.was);
  }

  /** Takes a file or folder away, which changes the change time of the file's further names. */
  #takeAway(at: string, { nlink, ctimeNs }: BigIntStats, undone: string): void {
    renameOrCopy(at, undone);
    const now = nlink > 1n ? aboutOf(undone) : undefined;
    if (!now?.isFile()) return;
    const since = this.#before.get(`${now.ino}:${ctimeNs}`) ?? ctimeNs;
    this.#before.set(`${now.ino}:${now.ctimeNs}`, since);
  }

  #giveBack(old: string, at: string, was: Mark): void {
    renameOrCopy(old, at);
    this.#note(at, was);
  }

  #note(at: string, { ctime: was }: Mark): void {
    const { ino, ctime } = markOf(aboutOf(at)!);
    this.restored.push({ ino, ctime, was });
  }

  /** Takes from a folder that the run put there whatever is still as the run left it. */
  #takeBackFrom(at: string, undone: string, put: AsPut, there: Beneath): void {
    mkdirSync(undone, { mode: 0o700 });
    for (const name of readdirSync(there.name(at))) {
      const [inner, full] = [`${at}/${name}`, there.name(`${at}/${name}`)];
      const found = aboutOf(full);
      if (!found) continue;
      if (!isOwn(found, put)) this.#keep(inner, CHANGED);
      else if (found.isDirectory() && changedIn(full, put))
        this.#takeBackFrom(inner, path.join(undone, name), put, there);
      else this.#takeAway(full, found, path.join(undone, name));
    }
    this.#removeEmpty(at, there);
  }

  #removeEmpty(at: string, there: Beneath): void {
    const name = there.name(at);
    if (readdirSync(name).length === 0) rmdirSync(name);
    else this.#keep(at, "something lies in it that the run did not leave so");
  }

  #keep(at: string, why: string): void {
    this.kept.push({ at, why });
  }
}

/** Tells what is still as a run put it. */
interface AsPut {
  /**
   * True for what was changed by somebody else since; an undo of a later run that gave it back does
   * not count.
   */
  readonly isChanged: (found: BigIntStats) => boolean;
  /** The inode numbers of the run's folders. */
  readonly own: ReadonlySet<string>;
}

const isThere = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined;

/**
 * Returns true for the run's folders, whatever lies in them by now, and for files that nobody
 * changed since.
 */
const isOwn = (found: BigIntStats, { isChanged, own }: AsPut): boolean =>
  !isChanged(found) || (found.isDirectory() && own.has(String(found.ino)));

/** Returns true if something below a folder was changed. */
function changedIn(folder: string, put: AsPut): boolean {
  return readdirSync(folder).some((name) => {
    const found = aboutOf(`${folder}/${name}`);
    if (!found) return true;
    return put.isChanged(found) || (found.isDirectory() && changedIn(`${folder}/${name}`, put));
  });
}

/**
 * Returns true for what is as it was put: a copy on another file system is another file, with a
 * time that is cut off.
 */
function isAsPut(found: BigIntStats, { is }: Put, put: AsPut): boolean {
  if (!isOwn(found, put)) return false;
  if (found.isDirectory()) return true;
  return String(found.size) === is.size && found.mtimeNs / MILLION === BigInt(is.mtime) / MILLION;
}
