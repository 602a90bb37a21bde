import { lstatSync } from "node:fs";
import path from "node:path";
import { type Held, NOT_SHOWN, isShown } from "./held.ts";
import { Judge, type Names } from "./judge.ts";
import { Merged } from "./merged.ts";
import { makePlan } from "./plan.ts";
import type { RunFolder, RunRecord } from "./run-folder.ts";
import { doSteps } from "./steps.ts";
import type { Kept, Plan } from "./step.ts";
import { type Left, readLayer } from "./upper.ts";

/** The outcome of taking over a run's layer. */
export interface Taken {
  readonly steps: number;
  readonly kept: readonly Kept[];
  /** Absolute paths of what it put into the workspace, and of its layer if that keeps anything. */
  readonly wrote: readonly string[];
}

/**
 * Judges all of a layer, once all processes of its run are dead, and says what is to be done with
 * it; changes nothing. Nothing but what `held` shows is done.
 */
export function judged(folder: RunFolder, record: RunRecord, names: Names, held?: Held): Plan {
  const plan = planFor(folder, record, names);
  if (held && !isShown(plan, held)) throw new Error(NOT_SHOWN);
  return plan;
}

/** Judges all of a layer, and says what is to be done with it; changes nothing. */
export function planFor(
  folder: RunFolder,
  record: RunRecord,
  names: Names,
  left: readonly Left[] = readLayer(folder.upper),
): Plan {
  const judge = new Judge(names, new Merged(names.workspace, folder.upper, left), left);
  const facts = { id: folder.id, workspace: names.workspace, began: BigInt(record.beganNs) };
  const room = isOneDisk(folder.upper, names.workspace) ? undefined : names.mostCopied;
  return makePlan({ ...facts, hidden: new Set(record.hidden), room }, left, judge);
}

const isOneDisk = (one: string, other: string): boolean => lstatSync(one).dev === lstatSync(other).dev;

/** Writes down what is to be done with a layer. */
export function decide(folder: RunFolder, record: RunRecord, plan: Plan): void {
  if (plan.steps.length + plan.kept.length === 0) return;
  folder.write(record);
  folder.decide(plan);
}

/** Does what was decided, whether it was begun or not. */
export function finish(folder: RunFolder, record: RunRecord, workspace: string): Taken {
  const { steps, kept } = folder.plan ?? { steps: [], kept: [] };
  const left = steps.length === 0 ? [] : doSteps(folder.places(workspace), steps);
  const all = [...kept, ...left];
  if (steps.length + all.length > 0) {
    const done = [{ steps: steps.length, ns: String(folder.after()) }];
    folder.write({ ...record, steps: steps.length, kept: all, done });
  }
  return { steps: steps.length, kept: all, wrote: writtenBy(folder, { steps, kept: all }, workspace) };
}

/** More names than these are told by the folders around them. */
const MOST_TOLD = 256;

/**
 * Returns the absolute paths of what a plan puts into the workspace, what lies beside the owner's
 * too, and of the layer if that keeps anything.
 */
export function writtenBy(folder: RunFolder, { steps, kept }: Plan, workspace: string): readonly string[] {
  const put = steps.flatMap((step) => (step.do === "put" ? [step.to] : []));
  const beside = kept.flatMap((one) => one.beside ?? []);
  const told = toldOf([...put, ...beside].map((at) => path.join(workspace, at)));
  return [...told, ...(kept.some((one) => one.beside === undefined) ? [folder.upper] : [])];
}

/** Returns the names, of which the deepest ones give way to their folders until they are few. */
function toldOf(names: readonly string[]): readonly string[] {
  const levels: Set<string>[] = [];
  const levelOf = (depth: number): Set<string> => (levels[depth] ??= new Set());
  for (const at of names) levelOf(depthOf(at)).add(at);
  let count = levels.reduce((sum, { size }) => sum + size, 0);
  while (count > MOST_TOLD) {
    const [deepest, around] = [levels.pop() ?? [], levelOf(levels.length - 1)];
    count -= [...deepest].length + around.size;
    for (const at of deepest) around.add(path.dirname(at));
    count += around.size;
  }
  return levels.flatMap((level) => [...level]);
}

const depthOf = (at: string): number => at.split("/").length;

/** Returns a phrase about each, for the model and the owner. */
export function phrases({ kept }: Taken, id: string): readonly string[] {
  return kept.map(({ at, why, beside }) =>
    beside === undefined
      ? `not taken over: ${at} (${why}); the owner finds it by \`gantry runs show ${id}\``
      : `${at}: ${why}, so the owner's stays and the run's is ${beside}`,
  );
}
