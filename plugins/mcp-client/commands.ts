import type { Command, CommandContext } from "@gantry/sdk";
import type { WordsNeeds } from "./words-needs.ts";

const json = { flags: "--json", summary: "print JSON" };
const yes = { flags: "--yes", summary: "accept without a question" };
const repeated = (flags: string, summary: string): NonNullable<Command["options"]>[number] => ({
  flags,
  summary,
  repeatable: true,
});

type Words = typeof import("./words.ts");

function word(
  name: string,
  summary: string,
  run: (run: CommandContext, words: Words) => Promise<number>,
  more: Partial<Command> = {},
): Command {
  const load = async (context: CommandContext): Promise<number> => run(context, await import("./words.ts"));
  return { name: `mcp ${name}`, summary, ...more, run: load };
}

/** The words `gantry mcp …`; what they do is loaded once one of them runs. */
export function mcpCommands(needs: WordsNeeds): readonly Command[] {
  const named = { args: ["<name>"] };
  return [
    word("list", "the configured MCP servers and how they stand", (run, { list }) => list(run, needs), {
      options: [json],
    }),
    word(
      "add",
      "configure an MCP server: its address, npm:PACKAGE@VERSION, or a program and arguments behind --",
      (run, { add }) => add(run, needs),
      {
        args: ["<name>", "<address...>"],
        options: [
          repeated("--env <NAME=value>", "a variable of the program"),
          repeated("--header <Name=value>", "a header of each request"),
          repeated("--domain <domain>", "what it may reach"),
          repeated("--read <path>", "what the program may read"),
          repeated("--write <path>", "what the program may write"),
          { flags: "--registry <url>", summary: "where npm: is fetched from; npm's own setting if left out" },
        ],
      },
    ),
    word("accept", "look at what a server offers, and accept it", (run, { accept }) => accept(run, needs), {
      ...named,
      options: [yes],
    }),
    word(
      "diff",
      "what a server offers now against what was accepted",
      (run, { diff }) => diff(run, needs),
      named,
    ),
    word(
      "check",
      "start or reach a server and say what would be offered of it",
      (run, { check }) => check(run, needs),
      {
        ...named,
        options: [json],
      },
    ),
    word("login", "log in to a server over HTTP, in the browser", (run, { login }) => login(run, needs), {
      ...named,
      options: [
        { flags: "--paste", summary: "paste the address that the browser ends at; no port is opened" },
        { flags: "--yes", summary: "go to whatever host the server names for its login" },
      ],
    }),
    word("logout", "forget the login at a server", (run, { logout }) => logout(run, needs), named),
    word(
      "remove",
      "take a server and what was accepted of it away",
      (run, { remove }) => remove(run, needs),
      named,
    ),
  ];
}
