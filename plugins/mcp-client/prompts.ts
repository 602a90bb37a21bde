import type { ChatCommand, CommandPrompt, Part } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import type { Accepted, Changed } from "./accepted.ts";
import { cleaned } from "./clean-text.ts";
import type { ListedArgument, ListedPrompt } from "./listed.ts";
import { partsOf } from "./results.ts";
import type { McpServer } from "./server.ts";

const MAX_SUMMARY = 200;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Returns the accepted prompts of a server as chat commands: `/github-review`. */
export function promptWords(
  server: McpServer,
  accepted: Accepted,
  changed: Changed | undefined,
): readonly ChatCommand[] {
  if (changed?.server === true) return [];
  const words = accepted.prompts
    .filter(({ name }) => changed?.prompts.includes(name) !== true)
    .map((prompt) => wordOf(server, prompt))
    .filter(({ name }) => NAME.test(name));
  const counts = Map.groupBy(words, ({ name }) => name);
  return words.filter(({ name }) => counts.get(name)?.length === 1);
}

function wordOf(server: McpServer, prompt: ListedPrompt): ChatCommand {
  const { name, title, description, arguments: args = [] } = prompt;
  const about = cleaned(description ?? title ?? name, MAX_SUMMARY).replace(/\s+/g, " ");
  const shown = args.map(({ name: one, required }) => (required ? `<${one}>` : `[${one}]`)).join(" ");
  return {
    name: `${server.name}-${name}`.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    summary: `${about || name} (MCP server ${server.name})`,
    ...(shown !== "" && { args: printable(shown, MAX_SUMMARY) }),
    trust: "member",
    async run({ args: words, user }) {
      const given = argumentsIn(words, args);
      const missing = args.filter(({ name: one, required }) => required === true && !(one in given));
      if (missing.length > 0)
        return `It needs ${missing.map(({ name: one }) => printable(one, 64)).join(", ")}: write them as name=value.`;
      return promptOf(server, name, given, user);
    },
  };
}

async function promptOf(
  server: McpServer,
  name: string,
  given: Readonly<Record<string, string>>,
  user: string,
): Promise<CommandPrompt> {
  const { messages } = await server.getPrompt(name, given);
  const blocks = messages.map(({ content }) => content);
  const parts = await partsOf(blocks, server.keeping(user));
  const from = `MCP server ${server.name}`;
  const asked: Part = {
    type: "text",
    text: `Do what the prompt ${printable(name, 64)} of the ${from} says:`,
  };
  return { prompt: [asked, ...parts.map((part) => ({ ...part, from }))] };
}

/** Reads `name=value`, with quotes around what has blanks in it; what has no name is the first argument not named. */
function argumentsIn(text: string, args: readonly ListedArgument[]): Record<string, string> {
  const given: Record<string, string> = {};
  const rest = text.replace(
    /([\w-]+)=(?:"([^"]*)"|(\S+))/g,
    (whole, name: string, quoted?: string, bare?: string) => {
      if (!args.some((one) => one.name === name)) return whole;
      given[name] = quoted ?? bare ?? "";
      return "";
    },
  );
  const first = args.find(({ name }) => !(name in given));
  if (first && rest.trim() !== "") given[first.name] = rest.trim();
  return given;
}
