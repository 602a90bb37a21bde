import { errors } from "./errors.ts";

/** What is looked for, a line at a time. */
export interface LineTest {
  /** Whether the line holds it. */
  holds(line: string): boolean;
  /** Where it begins. */
  at(line: string): number;
  /** False where no line of a file can hold it. */
  mayHold(data: Buffer): boolean;
}

interface Wanted {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

/** Expressions run on an engine that takes linear time whatever they say. Throws `SEARCH_BAD_PATTERN` and `SEARCH_LINES`. */
export async function lineTest({ pattern, literal, ignoreCase }: Wanted): Promise<LineTest> {
  if (literal ? pattern.includes("\n") : /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern))
    throw errors.SEARCH_LINES(pattern);
  if (literal && !ignoreCase) {
    return {
      holds: (line) => line.includes(pattern),
      at: (line) => line.indexOf(pattern),
      mayHold: (data) => data.includes(pattern),
    };
  }
  const { RE2JS } = await import("re2js");
  let compiled: ReturnType<typeof RE2JS.compile>;
  try {
    const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
    compiled = RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, flags);
  } catch (error) {
    throw errors.SEARCH_BAD_PATTERN(pattern, error);
  }
  return {
    holds: (line) => compiled.test(line),
    at(line) {
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
    mayHold: () => true,
  };
}
