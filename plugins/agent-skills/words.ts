import type { Command, CommandContext } from "@gantry/sdk";
import type { SkillDesk } from "./skill-desk.ts";

const json = { flags: "--json", summary: "print JSON" };

type Work = (desk: SkillDesk, run: CommandContext) => Promise<number>;

/** Makes the words of the command line; what they do is loaded with the first of them. */
export function skillCommands(words: () => Promise<SkillDesk>): readonly Command[] {
  const by =
    (name: "listSkills" | "showSkill" | "checkSkill" | "acceptSkill" | "removeSkill") =>
    async (run: CommandContext): Promise<number> => {
      const work: Readonly<Record<typeof name, Work>> = await import("./commands.ts");
      return work[name](await words(), run);
    };
  return [
    {
      name: "skills list",
      summary: "the skills that were found, and which are accepted",
      options: [json],
      run: by("listSkills"),
    },
    {
      name: "skills show",
      summary: "a skill whole: its files and its text",
      args: ["<name>"],
      options: [json],
      run: by("showSkill"),
    },
    {
      name: "skills check",
      summary: "what the standard finds wrong in a skill",
      args: ["<name-or-folder>"],
      options: [json],
      run: by("checkSkill"),
    },
    {
      name: "skills accept",
      summary: "show a skill and let the model use it, until something in its folder changes",
      args: ["<name>"],
      options: [{ flags: "--yes", summary: "without a question" }],
      run: by("acceptSkill"),
    },
    {
      name: "skills remove",
      summary: "take an acceptance back; the files stay",
      args: ["<name>"],
      run: by("removeSkill"),
    },
  ];
}
