import { ChatCommands, definePlugin } from "@gantry/sdk";
import { createCommand } from "./notes.ts";

export default definePlugin({
  name: "words-example",
  summary: "Shows a file of the conversation's folder: put your own line here.",
  provides: [ChatCommands],
  setup(host) {
    host.provide(ChatCommands, createCommand());
  },
});
