import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AnySlot, Plugin } from "@gantry/sdk";

/** What a plugin asks for, as its package.json states it under `gantry`: shown before any of its code runs. */
export interface StatedFacts {
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
}
const keys = ["needs", "provides", "taps"] as const;

/** Undefined where nothing, or something else than lists of names, is stated. */
export function readStated(value: unknown): StatedFacts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { needs = [], provides = [], taps = [] } = value as Record<string, unknown>;
  const lists = [needs, provides, taps];
  const right = lists.every((list) => Array.isArray(list) && list.every((name) => typeof name === "string" && /^[\w-]{1,64}$/.test(name)));
  return right ? ({ needs, provides, taps } as unknown as StatedFacts) : undefined;
}

/** Of the package that a module lies in. */
export async function statedIn(entry: string): Promise<StatedFacts | undefined> {
  const facts = await readFile(path.join(path.dirname(entry), "package.json"), "utf8").then(JSON.parse, () => ({}));
  return readStated((facts as { gantry?: unknown }).gantry);
}

export function factsOf({ needs = {}, provides = [], taps = [] }: Plugin): StatedFacts {
  const needed = Object.values(needs) as readonly AnySlot[];
  return { needs: needed.map(({ id }) => id), provides: provides.map(({ id }) => id), taps };
}

/** How the statement differs from the code, as in "it needs net"; undefined where they are equal. */
export function differenceOf(stated: StatedFacts, plugin: Plugin): string | undefined {
  const real = factsOf(plugin);
  for (const key of keys) {
    if (sorted(stated[key]) !== sorted(real[key])) return `${key} ${stated[key].join(", ") || "nothing"}`;
  }
  return undefined;
}

function sorted(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(" ");
}

/** What is asked for now and was not accepted before. */
export function widened(before: StatedFacts | undefined, now: StatedFacts): readonly string[] {
  return keys.flatMap((key) => now[key].filter((name) => !before?.[key].includes(name)).map((name) => `${key} ${name}`));
}

export function linesOf(facts: StatedFacts): readonly string[] {
  return keys.map((key) => `  ${key.padEnd(8)} ${facts[key].join(", ") || "-"}`);
}
