import type { ToolSpec } from "../models/provider.ts";

/**
 * Tools as they stand in a request: by name, so that the order in which they came changes nothing.
 */
export function inNameOrder(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
