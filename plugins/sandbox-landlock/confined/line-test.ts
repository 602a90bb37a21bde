import type { FileSearch } from "@gantry/sdk/fill";
import { RE2JS } from "re2js";

/** What is looked for, a line at a time. */
export interface LineTest {
  /** Whether the line holds it. */
  holds(line: string): boolean;
  /** Where it begins. */
  at(line: string): number;
}

/** Expressions run on an engine that takes linear time whatever they say. Throws where the pattern is none. */
export function lineTest({ pattern, literal = false, ignoreCase = false }: FileSearch): LineTest {
  if (literal && !ignoreCase)
    return { holds: (line) => line.includes(pattern), at: (line) => line.indexOf(pattern) };
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const compiled = RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, flags);
  return {
    holds: (line) => compiled.test(line),
    at(line) {
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}
