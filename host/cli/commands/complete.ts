import path from "node:path";
import { ChatCommands, type InboundMessage, type PromptOptions, type Tool } from "@gantry/sdk";
import type { Host } from "@gantry/host";

/** A line of a tool that lists: a folder, or a file and a note. */
const entry = /^(.*?)(\/| \([^()]*\))$/;

/** The part of a conversation that completing needs. */
interface Talk {
  readonly host: Host;
  readonly options: PromptOptions;
  message(text: string): InboundMessage;
}

type Completed = [candidates: string[], part: string];

/**
 * Completes what stands before the cursor: a word behind a slash from the chat commands, a path
 * behind `@` from the workspace, as a tool lists it to this person and no further.
 */
export function completer(talk: Talk): (line: string) => Promise<Completed> {
  const words = [...(talk.host.get(ChatCommands)?.keys() ?? []), "exit"];
  return async (line) => {
    const [, slash] = /^(\/\S*)$/.exec(line) ?? [];
    if (slash !== undefined)
      return matching(
        words.map((word) => `/${word} `),
        slash,
      );
    const [, at] = /(?:^|\s)@(\S*)$/.exec(line) ?? [];
    if (at === undefined) return [[], line];
    const folder = at.slice(0, at.lastIndexOf("/") + 1);
    return matching(
      (await entriesOf(talk, folder)).map((name) => folder + name),
      at,
    );
  };
}

/**
 * Returns the name of the tool by which a person at the terminal does this; undefined if none is
 * loaded.
 */
export async function toolFor(host: Host, use: Tool["atTerminal"]): Promise<string | undefined> {
  return (await host.tools.list()).find(({ atTerminal }) => atTerminal === use)?.name;
}

function matching(candidates: readonly string[], part: string): Completed {
  return [candidates.filter((one) => one.startsWith(part)), part];
}

/**
 * Returns the names in a folder, folders with a slash; none where the guards say no, or nothing
 * lists.
 */
async function entriesOf({ host, message, options }: Talk, folder: string): Promise<readonly string[]> {
  const tool = await toolFor(host, "list");
  if (tool === undefined) return [];
  const args = { path: path.posix.join(".", folder) };
  const call = { tool, args, approvals: "none", signal: options.signal } as const;
  const outcome = await host.inbox.call(message(folder), call);
  if (outcome.code !== undefined || outcome.workFailed) return [];
  return outcome.text.split("\n").flatMap((line) => {
    const [, name = "", kind] = entry.exec(line) ?? [];
    if (name === "") return [];
    return [kind === "/" ? `${name}/` : `${name} `];
  });
}
