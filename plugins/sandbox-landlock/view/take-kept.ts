import { mkdirSync } from "node:fs";
import { Beneath } from "./beneath.ts";
import { type Kept, type Step, markOf } from "./step.ts";
import type { RunFolder, RunRecord } from "./run-folder.ts";
import { aboutOf, doSteps } from "./steps.ts";

/**
 * Takes over what a person wants of what was not, whatever it is: all of it, or these paths. What
 * stands there is kept as for any other step.
 */
export function takeKept(
  folder: RunFolder,
  record: RunRecord,
  workspace: string,
  paths: readonly string[],
): { readonly taken: readonly string[]; readonly kept: readonly Kept[] } {
  const all = record.kept ?? [];
  const isWanted = ({ at, beside }: Kept): boolean =>
    beside === undefined && (paths.length === 0 || paths.includes(at));
  const places = folder.places(workspace);
  using upper = new Beneath(places.upper);
  using there = new Beneath(workspace);
  const wanted = all.filter(isWanted).map(({ at }) => [at, stepFor(at, upper, there)] as const);
  const before = folder.plan ?? { steps: [], kept: [] };
  const steps = [...before.steps, ...wanted.flatMap(([, step]) => step ?? [])];
  folder.decide({ ...before, steps });
  const left = doSteps(places, steps, before.steps.length);
  const missing = wanted.filter(([, step]) => !step).map(([at]) => ({ at, why: "its layer has it no more" }));
  const kept = [...all.filter((one) => !isWanted(one)), ...left, ...missing];
  const done = [...(record.done ?? []), { steps: steps.length, ns: String(folder.after()) }];
  folder.write({ ...record, steps: steps.length, kept, done, bytes: undefined });
  const failed = new Set([...left, ...missing].map(({ at }) => at));
  return { taken: wanted.map(([at]) => at).filter((at) => !failed.has(at)), kept };
}

function stepFor(at: string, upper: Beneath, there: Beneath): Step | undefined {
  const found = aboutOf(upper.name(at));
  if (!found) return undefined;
  makeAround(at, there);
  const was = aboutOf(there.name(at));
  if (found.isCharacterDevice() && found.rdev === 0n) return was && { do: "remove", at, was: markOf(was) };
  return { do: "put", at, to: at, is: markOf(found), ...(was && { was: markOf(was) }) };
}

function makeAround(at: string, there: Beneath): void {
  const names = at.split("/").slice(0, -1);
  names.forEach((_, depth) => {
    const folder = names.slice(0, depth + 1).join("/");
    if (!aboutOf(there.name(folder))) mkdirSync(there.name(folder));
  });
}
