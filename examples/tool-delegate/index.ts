import { definePlugin, defineTool, directMessage, Inbox, Tools } from "@gantry/sdk";
import { Type } from "typebox";

const system =
  "You were handed one task by another assistant. Do it with the tools you have and answer with the result alone.";

export default definePlugin({
  name: "tool-delegate",
  summary: "Hands a task to a second assistant with a context of its own and fewer tools.",
  config: Type.Object({
    tools: Type.Array(Type.String(), {
      default: ["file_read", "file_list", "file_search"],
      description: "What the second assistant may use. It cannot delegate.",
    }),
    max_tokens: Type.Integer({ default: 2_000, minimum: 1, description: "Tokens of one of its answers." }),
    autonomy: Type.Optional(
      Type.Union([Type.Literal("supervised"), Type.Literal("semi-autonomous")], {
        description: "Its own level, if it should ask more often than the assistant that hands it the task.",
      }),
    ),
    folder: Type.Optional(
      Type.String({ description: "The folder of the workspace that it works in and sees nothing beyond." }),
    ),
    budget: Type.Integer({ default: 200_000, minimum: 1, description: "Tokens, in and out, of one task." }),
  }),
  needs: { inbox: Inbox },
  provides: [Tools],
  setup(host) {
    const name = "delegate";
    const { autonomy, folder } = host.config;
    const tools = host.config.tools.filter((tool) => tool !== name);
    const delegate = defineTool({
      name,
      description: "Hands a task to a second assistant, which reads much and answers in a few lines.",
      input: Type.Object({ task: Type.String({ minLength: 1, description: "All that it must know." }) }),
      timeoutMs: 600_000,
      effects: () => ({}),
      async run({ args: { task }, signal, session }) {
        const message = directMessage({ channel: name, id: crypto.randomUUID(), from: session, text: task });
        // A turn within this one: for the same person, behind the same guards, with the same way to ask them.
        const { reply, stop_reason, tool_calls } = await host.needs.inbox.prompt(message, {
          keep: false,
          system,
          tools,
          agent: name,
          approvals: "ask",
          ...(autonomy !== undefined && { autonomy }),
          ...(folder !== undefined && { workspace: folder }),
          budget: { tokens: host.config.budget },
          maxTokens: host.config.max_tokens,
          signal,
        });
        return { text: `${reply}\n(${tool_calls.length} tool calls)`, failed: stop_reason === "Error" };
      },
    });
    host.provide(Tools, delegate);
  },
});
