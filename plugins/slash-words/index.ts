import { ChatCommands, definePlugin } from "@gantry/sdk";
import { conversationCommands } from "./conversation.ts";
import { decisionCommands } from "./decisions.ts";
import { helpCommands } from "./help.ts";

export default definePlugin({
  name: "slash-words",
  summary: "Words behind a slash, the same in the terminal, in channels and over HTTP.",
  provides: [ChatCommands],
  setup(host) {
    for (const command of [...helpCommands, ...conversationCommands, ...decisionCommands])
      host.provide(ChatCommands, command);
  },
});
