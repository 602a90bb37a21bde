import type { CheckRow } from "@gantry/sdk";
import { nearest } from "@gantry/sdk/node";

/** The lists of `[security]` that name tools. */
export interface ToolLists {
  readonly auto_approve_tools: readonly string[];
  readonly require_approval_tools: readonly string[];
  readonly guest_tools: readonly string[];
}

/**
 * Returns a warning for each name in a list that no offered tool has. The names of `usual`, the
 * defaults, may be of tools that are not loaded.
 */
export function unknownNames(
  lists: ToolLists,
  usual: readonly string[],
  tools: readonly string[],
): readonly CheckRow[] {
  const known = new Set([...tools, ...usual]);
  return Object.entries(lists).flatMap(([key, names]: [string, readonly string[]]) =>
    names.filter((name) => !known.has(name)).map((name) => rowOf(`security.${key}`, name, known)),
  );
}

function rowOf(key: string, name: string, known: Iterable<string>): CheckRow {
  const meant = nearest(name, known);
  return {
    what: "approval lists",
    state: "warn",
    detail: `${key} names \`${name}\`, and no tool that is offered now has that name`,
    cure: meant === undefined ? "take it off the list" : `write \`${meant}\`, or take it off`,
  };
}
