import { textParts, type ChatCommand, type Part } from "@gantry/sdk";
import type { SkillShelf } from "./skill-shelf.ts";
import { instructionsText } from "./skill-tool.ts";

/** Makes `/skill NAME [task]`, which is also `/NAME [task]` for every skill that may be used. */
export function skillWord(shelf: SkillShelf, workspace: () => string): ChatCommand {
  return {
    name: "skill",
    summary: "begin a task with a skill; without a name: which there are",
    args: "[name] [task]",
    alsoFor: async (word) => (await shelf.usable(workspace())).some(({ name }) => name === word),
    async run({ args }) {
      const [, name, task = ""] = /^\s*\$?(\S+)\s*([^]*)$/.exec(args) ?? [];
      if (name === undefined) return listed(shelf, workspace());
      const opened = await shelf.open(name, workspace());
      const text = instructionsText(opened, workspace());
      const { material } = opened;
      const instructions: readonly Part[] =
        material === undefined ? textParts(text) : [{ type: "text", text, from: material }];
      return {
        prompt: [...instructions, ...textParts(task === "" ? `Do what the skill ${name} says.` : task)],
      };
    },
  };
}

async function listed(shelf: SkillShelf, workspace: string): Promise<string> {
  const skills = await shelf.usable(workspace);
  if (skills.length === 0)
    return "There are no accepted skills here: `gantry skills list` shows those that were found.";
  return skills.map(({ name, accepted }) => `/${name}: ${accepted?.description ?? ""}`).join("\n");
}
