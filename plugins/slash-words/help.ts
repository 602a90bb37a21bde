import type { ChatCommand } from "@gantry/sdk";

export const helpCommands: readonly ChatCommand[] = [
  {
    name: "help",
    summary: "these words",
    trust: "guest",
    run: ({ commands }) =>
      [
        ...commands.map(
          ({ name, args, summary }) => `/${name}${args === undefined ? "" : ` ${args}`} - ${summary}`,
        ),
        "Write // to begin a message with a slash.",
      ].join("\n"),
  },
  {
    name: "tools",
    summary: "what the agent can do here",
    trust: "member",
    async run({ conversation }) {
      const tools = (await conversation.tools()).map(
        ({ name, description }) => `${name} - ${firstSentence(description)}`,
      );
      return tools.length === 0 ? "No tool is loaded." : tools.join("\n");
    },
  },
];

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
