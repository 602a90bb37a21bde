import { type BigIntStats, lstatSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { asError } from "@gantry/sdk/node";
import { Beneath } from "./beneath.ts";
import { renameOrCopy } from "./copies.ts";
import { changeMode } from "./folder-mode.ts";
import type { Kept, Put, Step } from "./step.ts";
import { type Done, type Places, aboutOf } from "./steps.ts";

const MILLION = 1_000_000n;
const CHANGED = "it was changed since";

/**
 * Takes back the steps of a plan, the last first; what the run had put there goes back into its folder. What somebody changed
 * since stays. `done`: when the steps were done. Returns what was not taken back.
 */
export function undoSteps(places: Places, steps: readonly Step[], done: readonly Done[]): readonly Kept[] {
  const undoing = new Undoing(places, done);
  for (const [number, step] of [...steps.entries()].toReversed()) undoing.undo(step, number);
  return undoing.kept;
}

class Undoing {
  readonly kept: Kept[] = [];
  readonly #places: Places;
  readonly #done: readonly Done[];
  /** What the run had put into the workspace, by the number of its step. */
  readonly #undone: string;

  constructor(places: Places, done: readonly Done[]) {
    this.#places = places;
    this.#done = done;
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
    switch (step.do) {
      case "put":
        return this.#takeBack(step, number, old, there);
      case "remove":
        if (!isThere(old)) return;
        if (isThere(there.name(step.at))) return this.#keep(step.at, "something else has its name by now");
        return renameOrCopy(old, there.name(step.at));
      case "link":
        return this.#unlink(step, there);
      case "folder":
        if (aboutOf(there.name(step.at))?.isDirectory()) this.#removeEmpty(step.at, there);
        return;
      case "mode":
        if (!changeMode(there, step.at, step.mode, step.was)) this.#keep(step.at, CHANGED);
    }
  }

  #takeBack(step: Put, number: number, old: string, there: Beneath): void {
    const at = there.name(step.to);
    const undone = path.join(this.#undone, String(number));
    const since = BigInt(this.#done.find(({ steps }) => steps > number)?.ns ?? 0);
    const found = aboutOf(at);
    const own = new Set([step.is.ino, ...(step.folders ?? [])]);
    if (found && !isAsPut(found, step, { since, own })) return this.#keep(step.to, CHANGED);
    if (found?.isDirectory() && changedIn(at, since)) {
      if (step.was) return this.#keep(step.to, CHANGED);
      return this.#takeBackFrom(step.to, undone, { since, own }, there);
    }
    if (found) renameOrCopy(at, undone);
    if (step.was && isThere(old)) renameOrCopy(old, there.name(step.to));
  }

  /** What it names stays by its other name. */
  #unlink({ at, is }: Extract<Step, { do: "link" }>, there: Beneath): void {
    const found = aboutOf(there.name(at));
    if (!found) return;
    if (String(found.ino) === is.ino && found.nlink > 1n) unlinkSync(there.name(at));
    else this.#keep(at, CHANGED);
  }

  /** Takes from a folder that the run put there whatever is still as the run left it. */
  #takeBackFrom(at: string, undone: string, put: AsPut, there: Beneath): void {
    mkdirSync(undone, { mode: 0o700 });
    for (const name of readdirSync(there.name(at))) {
      const [inner, full] = [`${at}/${name}`, there.name(`${at}/${name}`)];
      const found = aboutOf(full);
      if (!found) continue;
      if (!isOwn(found, put)) this.#keep(inner, CHANGED);
      else if (found.isDirectory() && changedIn(full, put.since))
        this.#takeBackFrom(inner, path.join(undone, name), put, there);
      else renameOrCopy(full, path.join(undone, name));
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
  /** What changed then or later was changed by somebody else; nobody sets that time. */
  readonly since: bigint;
  /** The inode numbers of the run's folders. */
  readonly own: ReadonlySet<string>;
}

const isThere = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined;

/** True for the run's folders, whatever lies in them by now, and for files that nobody changed since. */
const isOwn = (found: BigIntStats, { since, own }: AsPut): boolean =>
  found.ctimeNs < since || (found.isDirectory() && own.has(String(found.ino)));

/** True if something below a folder was changed. */
function changedIn(folder: string, since: bigint): boolean {
  return readdirSync(folder).some((name) => {
    const found = aboutOf(`${folder}/${name}`);
    if (!found) return true;
    return found.ctimeNs >= since || (found.isDirectory() && changedIn(`${folder}/${name}`, since));
  });
}

/** A copy on another file system is another file, with a time that is cut off. */
function isAsPut(found: BigIntStats, { is }: Put, put: AsPut): boolean {
  if (!isOwn(found, put)) return false;
  if (found.isDirectory()) return true;
  return String(found.size) === is.size && found.mtimeNs / MILLION === BigInt(is.mtime) / MILLION;
}
