import { builtins, type Program } from "./builtins.ts";
import { shells } from "./shells.ts";
import { starters } from "./starters.ts";

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({ ...builtins, ...shells, ...starters }),
);

/**
 * Returns the reader for the arguments of a program that starts others. `name` is without its
 * folder, in lower case.
 */
export function programNamed(name: string): Program | undefined {
  return programs.get(name) ?? (VARIANT.test(name) ? programs.get(plainName(name)) : undefined);
}

const VARIANT = /^g|[-.\d]/;

/** The name of a program without its version, and without the letter of GNU: bash-5.2, gfind. */
function plainName(name: string): string {
  return name.replace(/[-.\d].*$/s, "").replace(/^g/, "");
}
