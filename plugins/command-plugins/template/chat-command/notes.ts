import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ChatCommand } from "@gantry/sdk";

/** `workspace` is the folder of the agent that answers in this conversation. */
export function createCommand(): ChatCommand {
  return {
    name: "example",
    summary: "show NOTES.md, or with a word its lines that hold it",
    args: "[word]",
    trust: "member",
    async run({ args, workspace }) {
      if (workspace === undefined) return "This release of Gantry gives chat commands no folder.";
      const text = await readFile(path.join(workspace, "NOTES.md"), "utf8").catch(() => undefined);
      if (text === undefined) return "There is no NOTES.md here.";
      const found = text.split("\n").filter((line) => line.includes(args));
      return found.join("\n") || `No line of NOTES.md holds ${args}.`;
    },
  };
}
