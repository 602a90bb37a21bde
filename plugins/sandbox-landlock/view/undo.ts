import { chmodSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { Beneath } from "./beneath.ts";
import type { Kept, Step } from "./plan.ts";
import { type Places, aboutOf, renameOrCopy } from "./steps.ts";

const MILLION = 1_000_000n;

/**
 * Takes back the steps of a plan, the last first; what the run had put there goes back into its folder. What somebody changed
 * since stays. Returns what was not taken back.
 */
export function undoSteps(places: Places, steps: readonly Step[]): readonly Kept[] {
  using there = new Beneath(places.workspace);
  const undone = path.join(path.dirname(places.old), "undone");
  mkdirSync(undone, { recursive: true, mode: 0o700 });
  return steps
    .map((step, number) => [step, number] as const)
    .toReversed()
    .flatMap(([step, number]) => {
      const old = `${places.old}/${number}`;
      try {
        return undo(step, there, old, `${undone}/${number}`) ?? [];
      } catch (error) {
        return { at: step.at, why: `it could not be taken back (${(error as NodeJS.ErrnoException).code})` };
      }
    });
}

function undo(step: Step, there: Beneath, old: string, undone: string): Kept | undefined {
  switch (step.do) {
    case "put": {
      const at = there.name(step.to);
      const found = aboutOf(at);
      if (found && !isAsPut(found, step)) return { at: step.to, why: "it was changed since" };
      if (found) renameOrCopy(at, undone);
      if (step.was && isThere(old)) renameOrCopy(old, at);
      return undefined;
    }
    case "remove":
      if (isThere(old)) renameOrCopy(old, there.name(step.at));
      return undefined;
    case "folder":
      try {
        rmdirSync(there.name(step.at));
      } catch {
        // Somebody put something into it, or it is gone.
      }
      return undefined;
    case "mode":
      return void chmodSync(there.name(step.at), step.was);
  }
}

const isThere = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined;

/** A copy on another file system is another file, with a time that is cut off. */
function isAsPut(
  found: NonNullable<ReturnType<typeof aboutOf>>,
  { is }: Extract<Step, { do: "put" }>,
): boolean {
  if (found.isDirectory()) return true;
  const time = BigInt(is.mtime) / MILLION;
  return String(found.size) === is.size && found.mtimeNs / MILLION === time;
}
