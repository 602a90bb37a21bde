import type { ChatCommand } from "@gantry/sdk";
import type { OpenSkills } from "./open-skills.ts";
import type { FindSkills } from "./places.ts";

/** Makes `/skill NAME [task]`, which is also `/NAME [task]` for every skill that may be used. */
export function skillWord(
  find: FindSkills,
  open: () => Promise<OpenSkills>,
  workspace: () => string,
): ChatCommand {
  return {
    name: "skill",
    summary: "begin a task with a skill; without a name: which there are",
    args: "[name] [task]",
    trust: "member",
    alsoFor: async (word) => {
      if (!find(workspace()).some(({ name }) => name === word)) return false;
      return (await (await open()).shelf.usable(workspace())).some(({ name }) => name === word);
    },
    run: async ({ args }) => {
      const { shelf, beginningOf } = await open();
      return beginningOf(shelf, args, workspace());
    },
  };
}
