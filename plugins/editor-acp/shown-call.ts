import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { ApprovalRequest, Effects } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";

const titleLength = 160;

/**
 * Returns a call in a few words: the tool, and the first text among its arguments, which an editor
 * shows letter for letter.
 */
export function titleOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  const texts = Object.values(args).filter((value) => typeof value === "string");
  const first = texts.map(oneLine).find((text) => text !== "");
  return first === undefined ? tool : `${tool}: \`${printable(first, titleLength)}\``;
}

function oneLine(text: string): string {
  return text
    .slice(0, 2 * titleLength)
    .replaceAll("`", "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the kind of a call by what it does to the world, whatever its tool is called. */
export function kindOf({ commands, paths, urls }: Effects): ToolKind {
  if (commands.length > 0) return "execute";
  if (paths.some(({ access }) => access === "write")) return "edit";
  if (urls.length > 0) return "fetch";
  return paths.length > 0 ? "read" : "other";
}

/** Returns the kind of a call that is asked about, as far as the question tells it. */
export function kindAsked({ commands, diff }: ApprovalRequest): ToolKind | undefined {
  if (commands > 0) return "execute";
  return diff === undefined ? undefined : "edit";
}

export function locationsOf({ paths }: Effects): readonly ToolCallLocation[] {
  return paths.map(({ resolved }) => ({ path: resolved }));
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/**
 * Returns a text that an editor shows letter for letter: a link or picture that a result holds
 * would else be fetched as soon as it is shown.
 */
export function fenced(text: string): ToolCallContent {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return textContent(`${fence}\n${text}\n${fence}`);
}
