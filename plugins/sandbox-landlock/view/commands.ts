import type { Command, CommandContext, Store } from "@gantry/sdk";
import type { Lists } from "./run-words.ts";

const json = { flags: "--json", summary: "print JSON" };

/** Makes the commands `runs …`, whose code is loaded as one of them is used. */
export function runCommands(
  runs: string,
  workspace: string,
  lists: Lists,
  store: Store | undefined,
): readonly Command[] {
  const by =
    (word: "list" | "show" | "take" | "drop" | "undo") =>
    async (context: CommandContext): Promise<number> => {
      const { RunWords } = await import("./run-words.ts");
      const words = new RunWords(runs, workspace, lists, context, store?.values);
      if (word === "list") return words.list();
      const { RunsLock } = await import("./runs-lock.ts");
      const lock = await RunsLock.later(runs);
      try {
        return await words[word]();
      } finally {
        lock.release();
      }
    };
  return [
    {
      name: "runs list",
      summary: "commands whose changes are kept: what was taken over, and what was not",
      options: [json],
      run: by("list"),
    },
    {
      name: "runs show",
      summary: "what one command changed in the workspace, and what was not taken over and why",
      args: ["<id>"],
      options: [json],
      run: by("show"),
    },
    {
      name: "runs take",
      summary: "take over what was not, all of it or some paths; what stands there is kept for `runs undo`",
      args: ["<id>", "[paths...]"],
      options: [json],
      run: by("take"),
    },
    {
      name: "runs drop",
      summary: "forget what is kept of one command: it cannot be taken over or undone any more",
      args: ["<id>"],
      options: [json],
      run: by("drop"),
    },
    {
      name: "runs undo",
      summary: "take back what one command changed, but for what was changed since",
      args: ["<id>"],
      options: [json],
      run: by("undo"),
    },
  ];
}
