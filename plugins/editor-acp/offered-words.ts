import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { ChatCommand } from "@gantry/sdk";

/** Returns the words behind a slash, as an editor completes them. */
export function offeredWords(words: ReadonlyMap<string, ChatCommand>): AvailableCommand[] {
  const all = [...words.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return all.map(({ name, summary, args }) => ({
    name,
    description: summary,
    ...(args !== undefined && { input: { hint: args } }),
  }));
}
