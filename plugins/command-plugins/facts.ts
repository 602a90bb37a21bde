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
  const right = lists.every(
    (list) =>
      Array.isArray(list) && list.every((name) => typeof name === "string" && /^[\w-]{1,64}$/.test(name)),
  );
  return right ? ({ needs, provides, taps } as unknown as StatedFacts) : undefined;
}

/** How the statement differs from the code, as in "it needs net"; undefined where they are equal. */
export function differenceOf(stated: StatedFacts, real: StatedFacts): string | undefined {
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
  return keys.flatMap((key) =>
    now[key].filter((name) => !before?.[key].includes(name)).map((name) => `${key} ${name}`),
  );
}

export function linesOf(facts: StatedFacts): readonly string[] {
  return keys.map((key) => `  ${key.padEnd(8)} ${facts[key].join(", ") || "-"}`);
}
