import { lstatSync, mkdirSync, type BigIntStats } from "node:fs";
import { constants as os } from "node:os";
import { dropNote, exchange, overlayNotes, renameNew } from "./attributes.ts";
import { copy, copyWhole, isErrno, removeAny, renameOrCopy } from "./copies.ts";
import { Beneath } from "./beneath.ts";
import { changeMode } from "./folder-mode.ts";
import { type Kept, type Mark, type Put, type Step, besideOf, markOf } from "./step.ts";

const { EEXIST, EXDEV, ENOENT, ENOTEMPTY } = os.errno;

/** The folders in which a run's steps are done. Only the service and the owner write to them. */
export interface Places {
  readonly id: string;
  readonly workspace: string;
  readonly upper: string;
  /** The folder of what was replaced or removed, by the number of its step. */
  readonly old: string;
}

/** Tells when the first of a run's steps were done, by the clock of file systems, in ns. */
export interface Done {
  readonly steps: number;
  readonly ns: string;
}

/**
 * Does the steps of a plan, each of which may have been done before, by a service that was killed.
 * A name of the workspace has its old or its new content at each moment, and what stood there is
 * kept. Returns what differs from the plan. `first`: the number of the step to begin with.
 */
export function doSteps(places: Places, steps: readonly Step[], first = 0): readonly Kept[] {
  using hands = new Hands(places);
  return steps.flatMap((step, i) => (i < first ? [] : (hands.do(step, i) ?? [])));
}

class Hands implements Disposable {
  readonly #places: Places;
  readonly #there: Beneath;
  readonly #upper: Beneath;

  constructor(places: Places) {
    this.#places = places;
    this.#there = new Beneath(places.workspace);
    this.#upper = new Beneath(places.upper);
  }

  [Symbol.dispose](): void {
    this.#there[Symbol.dispose]();
    this.#upper[Symbol.dispose]();
  }

  do(step: Step, number: number): Kept | undefined {
    try {
      switch (step.do) {
        case "put":
          return this.#put(step, number);
        case "remove":
          return this.#remove(step, number);
        case "folder":
          return void mkdirSync(this.#there.name(step.at), { mode: step.mode });
        case "mode":
          if (changeMode(this.#there, step.at, step.was, step.mode)) return undefined;
          return { at: step.at, why: "it was changed meanwhile" };
      }
    } catch (error) {
      if (step.do === "folder" && isCode(error, "EEXIST")) return undefined;
      return { at: step.at, why: reasonOf(error) };
    }
  }

  #put(step: Put, number: number): Kept | undefined {
    let from = this.#upper.name(step.at);
    const found = aboutOf(from);
    // Done before.
    if (!found) return undefined;
    if (step.was && isMarked(found, step.was)) return void this.#keepOld(from, number);
    for (const at of step.noted ?? []) this.#clean(at);
    if (step.noted?.length) from = this.#upper.name(step.at);
    const to = this.#there.name(step.to);
    try {
      return step.was ? this.#replace(step, from, to, number) : void renameNew(from, to);
    } catch (error) {
      if (isErrno(error, EEXIST, ENOENT, ENOTEMPTY)) return this.#putBeside(step, from);
      if (!isErrno(error, EXDEV)) throw error;
      return this.#putCopy(step, from, to, number);
    }
  }

  /**
   * Exchanges two files and checks the old one afterwards, so that nothing that was saved in
   * between is lost.
   */
  #replace(step: Put, from: string, to: string, number: number): Kept | undefined {
    exchange(from, to);
    if (isMarked(aboutOf(from), step.was!)) return void this.#keepOld(from, number);
    exchange(from, to);
    return this.#putBeside(step, from);
  }

  #putBeside({ at, to }: { readonly at: string; readonly to: string }, from: string): Kept {
    const beside = to === at ? besideOf(at, this.#places.id) : to;
    renameOrCopy(from, this.#there.name(beside));
    return { at, why: "it was changed meanwhile", beside };
  }

  /**
   * Puts something on another file system: a copy beside the name takes its place, in one step.
   * What stood there is copied before, so that a disk that is full changes nothing.
   */
  #putCopy(step: Put, from: string, to: string, number: number): Kept | undefined {
    const beside = this.#there.name(`${step.to}.gantry-${this.#places.id}`);
    const old = `${this.#places.old}/${number}`;
    const before = aboutOf(beside);
    if (!(step.was && isMarked(before, step.was))) {
      removeAny(beside);
      try {
        copy(from, beside);
        if (step.was && !aboutOf(old) && isMarked(aboutOf(to), step.was)) copyWhole(to, old);
        if (step.was) exchange(beside, to);
        else renameNew(beside, to);
      } catch (error) {
        for (const at of [beside, old]) removeAny(at);
        if (isErrno(error, EEXIST, ENOENT, ENOTEMPTY)) return this.#putBeside(step, from);
        throw error;
      }
      if (step.was && !isMarked(aboutOf(beside), step.was)) {
        exchange(beside, to);
        for (const at of [beside, old]) removeAny(at);
        return this.#putBeside(step, from);
      }
    }
    if (step.was) this.#keepOld(beside, number);
    removeAny(from);
    return undefined;
  }

  #remove(step: Extract<Step, { do: "remove" }>, number: number): Kept | undefined {
    const at = this.#there.name(step.at);
    const found = aboutOf(at);
    if (!found) return undefined;
    const isFolder = found.isDirectory();
    if (isFolder ? String(found.ino) !== step.was.ino : !isMarked(found, step.was))
      return { at: step.at, why: "it was changed meanwhile, so it stays although the run removed it" };
    this.#keepOld(at, number);
    return undefined;
  }

  #clean(at: string): void {
    const name = this.#upper.name(at);
    for (const note of overlayNotes(name)) dropNote(name, note);
  }

  #keepOld(at: string, number: number): void {
    const old = `${this.#places.old}/${number}`;
    // A service that was killed had copied it, and not yet removed it.
    if (aboutOf(at)?.isFile() && aboutOf(old)) removeAny(at);
    else renameOrCopy(at, old);
  }
}

export function aboutOf(at: string): BigIntStats | undefined {
  return lstatSync(at, { bigint: true, throwIfNoEntry: false });
}

export function isMarked(about: BigIntStats | undefined, mark: Mark): boolean {
  if (!about) return false;
  const now = markOf(about);
  return now.ino === mark.ino && now.size === mark.size && now.mtime === mark.mtime;
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return "its folder was moved meanwhile";
  return `it could not be put there (${code ?? message})`;
}
