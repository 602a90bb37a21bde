import { ChatCommands, definePlugin, Providers } from "@gantry/sdk";
import { conversationCommands } from "./conversation.ts";
import { decisionCommands } from "./decisions.ts";
import { helpCommands } from "./help.ts";
import { modelCommand } from "./model.ts";

export default definePlugin({
  name: "slash-words",
  summary: "Words behind a slash, the same in the terminal, in channels and over HTTP.",
  needs: { providers: Providers },
  provides: [ChatCommands],
  setup(host) {
    const fixed = [...helpCommands, ...conversationCommands, ...decisionCommands];
    for (const command of [...fixed, modelCommand(host.needs.providers)]) host.provide(ChatCommands, command);
  },
});
