import type { FileSearch } from "@gantry/sdk/fill";
import { RE2JS } from "re2js";

/** A test for a text, applied to one line at a time. */
export interface LineTest {
  /** Returns true if the line holds the text. */
  holds(line: string): boolean;
  /** Returns the position at which the text begins. */
  at(line: string): number;
}

/**
 * Makes the test of a search. Expressions run on an engine that takes linear time whatever they
 * say. Throws if the pattern is invalid.
 */
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
