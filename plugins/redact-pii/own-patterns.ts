import type { Rule } from "./built-in.ts";
import { errors } from "./errors.ts";

/**
 * The owner's patterns, run by an engine that takes linear time whatever they say. Throws
 * `PII_BAD_PATTERN`.
 */
export async function ownRules(patterns: readonly string[]): Promise<readonly Rule[]> {
  if (patterns.length === 0) return [];
  const { RE2JS } = await import("re2js");
  return patterns.map((pattern) => {
    let compiled: ReturnType<typeof RE2JS.compile>;
    try {
      compiled = RE2JS.compile(pattern);
    } catch (error) {
      throw errors.PII_BAD_PATTERN(pattern, error);
    }
    if (compiled.matcher("").matches()) throw errors.PII_BAD_PATTERN(pattern, "it matches an empty text");
    return (text) => compiled.matcher(text).replaceAll("[redacted]");
  });
}
