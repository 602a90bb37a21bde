import type { Tool } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { diffOf } from "../shared/text-diff.ts";
import { differencesOf, type Accepted } from "./accepted.ts";
import { offerOf } from "./offered.ts";
import type { Found, McpServer } from "./server.ts";

/** A schema that is accepted is no longer. */
const MAX_TEXT = 80_000;

/** Returns a tool as a person is shown it before it is accepted: all that the model will read of it. */
function shownTool({ name, description, input }: Tool): readonly string[] {
  return [
    name,
    ...description.split("\n").map((line) => `    ${printable(line, MAX_TEXT)}`),
    ...JSON.stringify(input, undefined, 2)
      .split("\n")
      .map((line, i) => `    ${i === 0 ? "input: " : ""}${printable(line, MAX_TEXT)}`),
  ];
}

/** Returns all that a yes to a server accepts, in lines. */
export function shownOffer(server: McpServer, found: Found): readonly string[] {
  const { tools, leftOut } = offerOf(server, found, undefined);
  return [
    ...tools.flatMap(shownTool),
    ...found.prompts.map(({ name }) => `prompt ${printable(name, 64)}`),
    ...leftOut.map(({ tool, why }) => `left out ${tool}: ${why}`),
  ];
}

/** Returns what differs from what was accepted, in lines; what changed is a unified diff. */
export async function changedLines(accepted: Accepted, found: Found): Promise<readonly string[]> {
  const server = accepted.server === found.server ? [] : ["changed: its command, address or files"];
  return [
    ...server,
    ...(await linesOf("tool", accepted.tools, found.tools)),
    ...(await linesOf("prompt", accepted.prompts, found.prompts)),
  ];
}

async function linesOf<Item extends { readonly name: string }>(
  kind: string,
  before: readonly Item[],
  now: readonly Item[],
): Promise<readonly string[]> {
  const { changed, missing, added } = differencesOf(before as never, now as never);
  const textIn = (items: readonly Item[], name: string): string =>
    JSON.stringify(
      items.filter((one) => one.name === name),
      undefined,
      2,
    );
  const diffs = changed.map(async (name) => {
    const [old, fresh] = [textIn(before, name), textIn(now, name)];
    // What differs too much to be compared is shown as both texts.
    const diff = (await diffOf("", old, fresh)) ?? `${sided("-", old)}\n${sided("+", fresh)}`;
    const lines = diff.split("\n").filter((line) => !/^(?:---|\+\+\+)/.test(line));
    return [`changed ${kind} ${printable(name, 64)}`, ...lines.map((line) => printable(line, MAX_TEXT))];
  });
  return [
    ...(await Promise.all(diffs)).flat(),
    ...missing.map((name) => `gone: ${kind} ${printable(name, 64)}`),
    ...added.map((name) => `new: ${kind} ${printable(name, 64)}`),
  ];
}

function sided(sign: string, text: string): string {
  return text.replaceAll(/^/gm, sign);
}
