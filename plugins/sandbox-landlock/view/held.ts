import { createHash } from "node:crypto";
import type { RunChange } from "@gantry/sdk/fill";
import type { RunResult, TriedRun } from "@gantry/sdk";
import { type Plan, type Put, type Step, besideOf } from "./step.ts";
import type { Left } from "./upper.ts";

/** The changes of a layer as they are shown before it is taken over. */
export interface Shown {
  readonly changes: readonly RunChange[];
  /** The number of changes beside those, by kind. */
  readonly more: TriedRun["more"];
  readonly diff: string;
}

/**
 * A run that has ended and waits for a decision; kept beside its layer, so that both outlive the
 * service.
 */
export interface Held extends Shown {
  readonly id: string;
  /** Names the call that is decided on. */
  readonly key: string;
  /** In ms since 1970: later it is removed. */
  readonly until: number;
  readonly result: RunResult;
  /** Stands for all that lies in the layer. */
  readonly print: string;
  /** The steps that taking it over would have had when it was shown. */
  readonly steps: readonly Step[];
}

export const NOT_SHOWN = "it is not what was shown any more";

/**
 * Returns a word that changes with whatever is done in a layer: by the change times of what lies
 * there, which nobody sets. So what is taken over later is what was shown.
 */
export function printOf(left: readonly Left[]): string {
  const hash = createHash("sha256");
  const add = ({ at, about, target = "", children }: Left): void => {
    const { ino, mode, size, ctimeNs } = about;
    hash.update(JSON.stringify([at, target, ...[ino, mode, size, ctimeNs].map(String)]));
    children.forEach(add);
  };
  left.forEach(add);
  return hash.digest("hex");
}

/**
 * Returns true if a plan does nothing that was not shown. It may do less, or put what was shown
 * beside what the owner has saved since.
 */
export function isShown({ steps, kept }: Plan, { id, steps: shown }: Pick<Held, "id" | "steps">): boolean {
  const known = new Set(shown.map((step) => JSON.stringify(step)));
  const put = new Set(shown.flatMap((step) => (step.do === "put" ? printOfPut(step) : [])));
  const beside = new Set(kept.flatMap((one) => one.beside ?? []));
  return steps.every(
    (step) =>
      known.has(JSON.stringify(step)) ||
      (step.do === "put" &&
        step.to === besideOf(step.at, id) &&
        beside.has(step.to) &&
        put.has(printOfPut(step))),
  );
}

/** Returns a word for what a step puts, wherever that goes. */
const printOfPut = ({ at, is }: Put): string => JSON.stringify([at, is]);
