import { findProgram } from "../../.ci/programs.ts";

/**
 * Tells if these programs are here, for `test.runIf(x.here)`, and returns the words behind a title
 * if they are not: a test that is left out says why.
 */
export function programs(...names: readonly string[]): { readonly here: boolean; readonly why: string } {
  const missing = names.filter((name) => findProgram(name) === undefined);
  const here = missing.length === 0;
  return { here, why: here ? "" : ` (left out: ${missing.join(" and ")} is not installed)` };
}
