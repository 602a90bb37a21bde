import { readFileSync, writeFileSync } from "node:fs";
import type { Amounts, Counts } from "./counts.ts";

const file = new URL("budget.json", import.meta.url);

/** The share by which a count may exceed its budget. */
const slack = 0.02;

/** The figures that stand in the file, by piece of work. */
export type Budget = Readonly<Record<string, Counts>>;

export function readBudget(): Budget {
  return JSON.parse(readFileSync(file, "utf8")) as Budget;
}

export function writeBudget(budget: Budget): void {
  writeFileSync(file, `${JSON.stringify(budget, undefined, 2)}\n`);
}

export interface Verdict {
  /**
   * A line for each figure that is over its budget, with the names behind it; empty if all are
   * within.
   */
  readonly over: readonly string[];
  /** A line for each figure so far below that its budget should be lowered. */
  readonly under: readonly string[];
  /** A line for each figure that could not be counted here. */
  readonly leftOut: readonly string[];
}

/** Holds counts to their budget. */
export function judge(counted: Budget, budget: Budget): Verdict {
  const over: string[] = [];
  const under: string[] = [];
  const leftOut: string[] = [];
  for (const work of new Set([...Object.keys(counted), ...Object.keys(budget)])) {
    const [now, then] = [counted[work], budget[work]];
    if (!now || !then) {
      over.push(`${work}: ${now ? "has no budget" : "is no longer counted"}`);
      continue;
    }
    for (const [figure, of] of Object.entries(figures)) {
      const [is, may] = [of(now), of(then)];
      if (is === undefined || may === undefined) {
        leftOut.push(`${work}: ${figure} (no strace here)`);
        continue;
      }
      const line = `${work}: ${figure}: ${sum(is)}, of ${sum(may)}`;
      if (sum(is) > sum(may) * (1 + slack)) over.push([line, ...changes(is, may)].join("\n  "));
      if (sum(is) < sum(may) * (1 - slack)) under.push(line);
    }
  }
  return { over, under, leftOut };
}

const figures: Readonly<Record<string, (counts: Counts) => Amounts | undefined>> = {
  modules: ({ modules }) => each(Object.keys(modules)),
  "bytes of code": ({ modules }) => modules,
  "parts of Node": ({ builtins }) => each(builtins),
  statements: ({ statements }) => statements,
  "bytes allocated": ({ allocated }) => ({ heap: allocated }),
  "files opened": ({ files }) => files && each(files),
  "system calls": ({ calls }) => calls,
};

function each(names: readonly string[]): Amounts {
  return Object.fromEntries(names.map((name) => [name, 1]));
}

function sum(amounts: Amounts): number {
  return Object.values(amounts).reduce((all, amount) => all + amount, 0);
}

/** Names the amounts that are new or have grown, the most first. */
function changes(now: Amounts, then: Amounts): readonly string[] {
  const more = Object.entries(now).map(([name, n]) => [name, n - (then[name] ?? 0), name in then] as const);
  return more
    .filter(([, amount]) => amount > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, amount, isKnown]) => `${isKnown ? "grown" : "new  "} ${name} +${amount}`);
}
