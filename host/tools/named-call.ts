import type { NamedCall, Tool } from "@gantry/sdk";
import { parseArguments } from "./arguments.ts";

/**
 * Returns the call that a call stands for, which for most is itself. A call that names none, or one
 * that stands for another, stays what it is and is not run: whoever reads it twice gets the same.
 */
export function namedCall<T extends NamedCall>(tools: ReadonlyMap<string, Tool>, given: T): T {
  const tool = tools.get(given.tool);
  if (!tool?.standsFor) return given;
  try {
    const { tool: named, args } = tool.standsFor(parseArguments(tool, given.args));
    const isNamed = typeof named === "string" && !tools.get(named)?.standsFor;
    return isNamed ? { ...given, tool: named, args } : given;
  } catch {
    return given;
  }
}
