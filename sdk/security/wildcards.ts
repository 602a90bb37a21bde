/**
 * One step of a pattern: a character as it is, one or many characters `but` some, or any folders
 * with the slash that ends them.
 */
export type Wildcard =
  | { readonly sign: string }
  | { readonly any: "one" | "many"; readonly but?: string }
  | { readonly any: "folders" };

/**
 * Returns a test of whole texts against a pattern. Its time is the text's length times the
 * pattern's, whatever they hold: who writes a text or a pattern with many stars holds nobody up, as
 * backtracking expressions would.
 */
export function wildcards(pattern: readonly Wildcard[]): (text: string) => boolean {
  const steps = pattern.flatMap((step): readonly Step[] => {
    if ("sign" in step) return [{ fits: (sign) => sign === step.sign, stays: false, skips: [] }];
    if (step.any === "folders")
      return [
        { fits: () => false, stays: false, skips: [1, 3] },
        { fits: () => true, stays: true, skips: [1] },
        { fits: (sign) => sign === "/", stays: false, skips: [] },
      ];
    const many = step.any === "many";
    return [{ fits: (sign) => !step.but?.includes(sign), stays: many, skips: many ? [1] : [] }];
  });
  return (text) => {
    let at = reached(steps, [0]);
    for (const sign of text) {
      const next: number[] = [];
      for (const i of at) if (steps[i]?.fits(sign)) next.push(steps[i].stays ? i : i + 1);
      if (next.length === 0) return false;
      at = reached(steps, next);
    }
    return at.has(steps.length);
  };
}

interface Step {
  fits(sign: string): boolean;
  /** True if further characters fit the same step. */
  readonly stays: boolean;
  /** Distances to the next steps that fit as well, before any character. */
  readonly skips: readonly number[];
}

function reached(steps: readonly Step[], from: readonly number[]): ReadonlySet<number> {
  const all = new Set(from);
  for (const i of all) for (const skip of steps[i]?.skips ?? []) all.add(i + skip);
  return all;
}
