import type { Tool } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { changesOf, sided } from "../shared/text-diff.ts";
import { differencesOf, isSameServer, type Accepted } from "./accepted.ts";
import { digestOf } from "./digest.ts";
import type { ListedTool } from "./listed.ts";
import { offerOf } from "./offered.ts";
import type { Found, McpServer } from "./server.ts";
import { shownServer } from "./shown-server.ts";

/**
 * Returns a tool as a person is shown it before it is accepted: all that the model will read of it,
 * and what else is listed of it.
 */
function shownTool(tool: Tool, listed: ListedTool | undefined): readonly string[] {
  const { description, input, allowedBy } = tool;
  return [
    tool.name,
    ...indented(description),
    ...indented(`input: ${JSON.stringify(input, undefined, 2)}`),
    ...(allowedBy === undefined ? [] : indented(`runs without a question, by ${allowedBy}`)),
    ...(listed ? indented(besides(listed)) : []),
  ];
}

/** The hash holds, too, what is taken out of the words before the model reads them. */
function besides(listed: ListedTool): string {
  const { name: _, description: __, inputSchema: ___, ...rest } = listed;
  const more = Object.keys(rest).length === 0 ? "" : `listed besides: ${JSON.stringify(rest)}\n`;
  return `${more}listed as sha256 ${digestOf(listed)}`;
}

/** Returns an item as it is listed, which nobody is shown in other words. */
function shownItem(kind: string, item: { readonly name: string }): readonly string[] {
  return [
    `${headOf(kind, item.name)}  sha256 ${digestOf(item)}`,
    ...indented(JSON.stringify(item, undefined, 2)),
  ];
}

/** In one line, whatever the name is. */
function headOf(kind: string, name: string): string {
  return `${kind} ${printable(name, 64).replaceAll("\n", " ")}`;
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `    ${printable(line, Infinity)}`);
}

/**
 * Returns all that a yes to a server accepts, in lines: what another digest is made of has other
 * lines.
 */
export function shownOffer(server: McpServer, found: Found): readonly string[] {
  const { tools, leftOut } = offerOf(server, found, undefined);
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const nameOf = ({ name }: ListedTool): string => `${server.name}_${name}`;
  const byName = new Map(found.tools.map((listed) => [nameOf(listed), listed]));
  return [
    ...shownServer(found),
    ...tools.flatMap((tool) => shownTool(tool, byName.get(tool.name))),
    ...found.prompts.flatMap((prompt) => shownItem("prompt", prompt)),
    ...leftOut.map(({ tool, why }) => `${headOf("left out", tool)}: ${why}`),
    ...found.tools
      .filter((listed) => !offered.has(nameOf(listed)))
      .flatMap((listed) => shownItem("not offered", listed)),
  ];
}

/** Returns what differs from what was accepted, in lines; what changed is a unified diff. */
export async function changedLines(accepted: Accepted, found: Found): Promise<readonly string[]> {
  const [before, now] = [accepted, found].map((one) => shownServer(one).join("\n"));
  const server = isSameServer(accepted, found)
    ? []
    : ["changed: the server itself", ...(await diffLines(before!, now!))];
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
  const diffs = changed.map(async (name) => [
    headOf(`changed ${kind}`, name),
    ...(await diffLines(textIn(before, name), textIn(now, name))),
  ]);
  const fresh = added.flatMap((name) => [
    headOf(`new: ${kind}`, name),
    ...sided("+", textIn(now, name))
      .split("\n")
      .map((line) => printable(line, Infinity)),
  ]);
  return [
    ...(await Promise.all(diffs)).flat(),
    ...missing.map((name) => headOf(`gone: ${kind}`, name)),
    ...fresh,
  ];
}

/** Returns a diff of two texts without its two lines of names. */
async function diffLines(before: string, now: string): Promise<readonly string[]> {
  const lines = (await changesOf("", before, now)).split("\n");
  return lines.filter((line) => !/^(?:---|\+\+\+)/.test(line)).map((line) => printable(line, Infinity));
}
