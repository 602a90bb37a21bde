import type { Tool } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { differencesOf, type Accepted } from "./accepted.ts";
import type { Found } from "./server.ts";

/** A schema that is accepted is no longer. */
const MAX_TEXT = 80_000;

/** Returns a tool as a person is shown it before it is accepted: all that the model will read of it. */
export function shownTool({ name, description, input }: Tool): readonly string[] {
  return [
    name,
    ...description.split("\n").map((line) => `    ${printable(line, MAX_TEXT)}`),
    ...JSON.stringify(input, undefined, 2)
      .split("\n")
      .map((line, i) => `    ${i === 0 ? "input: " : ""}${printable(line, MAX_TEXT)}`),
  ];
}

/** Returns what differs from what was accepted, a line each, with both texts of what changed. */
export function changedLines(accepted: Accepted, found: Found): readonly string[] {
  const server = accepted.server === found.server ? [] : ["changed: its command, address or files"];
  return [
    ...server,
    ...linesOf("tool", accepted.tools, found.tools),
    ...linesOf("prompt", accepted.prompts, found.prompts),
  ];
}

function linesOf<Item extends { readonly name: string }>(
  kind: string,
  before: readonly Item[],
  now: readonly Item[],
): readonly string[] {
  const { changed, missing, added } = differencesOf(before as never, now as never);
  const textIn = (items: readonly Item[], name: string): string =>
    printable(JSON.stringify(items.filter((one) => one.name === name)), MAX_TEXT);
  return [
    ...changed.flatMap((name) => [
      `changed ${kind} ${printable(name, 64)}`,
      `  - ${textIn(before, name)}`,
      `  + ${textIn(now, name)}`,
    ]),
    ...missing.map((name) => `gone: ${kind} ${printable(name, 64)}`),
    ...added.map((name) => `new: ${kind} ${printable(name, 64)}`),
  ];
}
