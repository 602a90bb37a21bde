import { defineTool, type Tool } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { Type } from "typebox";
import { namesOf, type SkillInstructions, type SkillShelf } from "./skill-shelf.ts";

/** Makes the tool `skill`; `workspace` gives the one of the turn that asks. */
export function skillTool(shelf: SkillShelf, workspace: () => string): Tool {
  return defineTool({
    name: "skill",
    description:
      "Reads the instructions of a skill, or one of its files. Without a name it lists the skills that may be used.",
    input: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "As it is listed." })),
        file: Type.Optional(
          Type.String({ minLength: 1, maxLength: 1_000, description: "One of its files, from its folder." }),
        ),
      },
      { additionalProperties: false },
    ),
    parallel: true,
    hints: { readOnly: true },
    offered: () => shelf.hasAccepted(workspace()),
    effects: async ({ name }, { cwd }) => {
      const material = name === undefined ? undefined : await shelf.material(name, cwd);
      return material === undefined ? {} : { brings: { material: [material] } };
    },
    async run({ args: { name, file }, cwd }) {
      if (name === undefined) return listed(shelf, cwd);
      if (file !== undefined) return shelf.file(name, file, cwd);
      return instructionsText(await shelf.open(name, cwd), cwd);
    },
  });
}

async function listed(shelf: SkillShelf, cwd: string): Promise<string> {
  const skills = await shelf.usable(cwd);
  if (skills.length === 0) return "There are no skills that may be used.";
  return skills.map(({ name, accepted }) => `${name}: ${accepted?.description ?? ""}`).join("\n");
}

/** Returns the instructions with what their reader must know of the files that they name. */
export function instructionsText({ skill, body, entries }: SkillInstructions, cwd: string): string {
  const where = isInside(skill.folder, cwd)
    ? `Its folder is ${skill.folder}.`
    : `Its folder ${skill.folder} lies outside of the workspace, where no command reaches it: read its files by the tool skill, and write what a command needs into the workspace.`;
  return [`The skill ${skill.name}. ${where} Its files: ${namesOf(entries)}.`, body].join("\n\n");
}
